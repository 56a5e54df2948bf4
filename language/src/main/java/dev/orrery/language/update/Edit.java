package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * One document while an update changes it: finds what paths lead to, stores and creates values
 * there, and refuses changes of {@code _id}. Belongs to one application of an update.
 */
final class Edit {
  private static final int PADDING_MAX = 1_500_000;

  private final BsonDocument document;
  private final int arrayIndex;
  private final UpdateClock clock;
  private final boolean isInsert;
  private final Delta delta = Delta.ofDocument();

  Edit(BsonDocument document, int arrayIndex, UpdateClock clock, boolean isInsert) {
    this.document = document;
    this.arrayIndex = arrayIndex;
    this.clock = clock;
    this.isInsert = isInsert;
  }

  BsonDocument document() {
    return document;
  }

  /** What was changed so far. */
  RawDocument delta() {
    return RawDocument.of(delta.toBson());
  }

  UpdateClock clock() {
    return clock;
  }

  /** Whether the document is made for an upsert; it is then validated only when it is complete. */
  boolean isInsert() {
    return isInsert;
  }

  /** The position of the element that the filter matched, as {@code $} in a path stands for it. */
  String matchedField() {
    if (arrayIndex < 0) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The positional operator did not find the match needed from the query.");
    }
    return Integer.toString(arrayIndex);
  }

  /** Follows a path as far as it exists. */
  Location locate(List<String> path) {
    BsonValue parent = null;
    BsonValue value = document;
    int depth = 0;
    while (depth < path.size()) {
      var child = child(value, path.get(depth));
      if (child == null) {
        break;
      }
      parent = value;
      value = child;
      depth++;
    }
    return new Location(path, depth, parent, value);
  }

  private static @Nullable BsonValue child(BsonValue value, String name) {
    if (value instanceof BsonDocument fields) {
      return fields.get(name);
    }
    if (value instanceof BsonArray elements) {
      long index = UpdatePath.arrayIndex(name);
      return index >= 0 && index < elements.size() ? elements.get((int) index) : null;
    }
    return null;
  }

  /** Replaces an array by one that begins with the same elements. */
  void append(Location location, BsonArray value) {
    put(location, value);
    int index = location.value().asArray().size();
    for (; index < value.size(); index++) {
      var path = new ArrayList<>(location.path());
      path.add(Integer.toString(index));
      tell(path, value.get(index), true);
    }
  }

  /** Replaces an existing value; null removes a field and empties an array element. */
  void replace(Location location, @Nullable BsonValue value) {
    put(location, value);
    boolean isElement = location.parent() instanceof BsonArray;
    tell(location.path(), value == null && isElement ? BsonNull.VALUE : value, false);
  }

  private void tell(List<String> path, @Nullable BsonValue value, boolean isNew) {
    Delta place = isInsert ? null : delta.to(document, path);
    if (place == null) {
      return; // a part of what is told already
    }
    String name = path.get(path.size() - 1);
    if (value == null) {
      place.delete(name);
    } else if (isNew) {
      place.insert(name, value);
    } else {
      place.update(name, value);
    }
  }

  private static void put(Location location, @Nullable BsonValue value) {
    if (location.parent() instanceof BsonArray elements) {
      int index = (int) UpdatePath.arrayIndex(location.name());
      elements.set(index, value == null ? BsonNull.VALUE : value);
    } else if (value == null) {
      location.parent().asDocument().remove(location.name());
    } else {
      location.parent().asDocument().put(location.name(), value);
    }
  }

  /** Creates what is missing of a path, with {@code value} at its end. */
  void create(Location location, BsonValue value) {
    var path = location.path();
    BsonValue created = value;
    for (int i = path.size() - 1; i > location.depth(); i--) {
      created = new BsonDocument(path.get(i), created);
    }
    String name = path.get(location.depth());
    if (location.value() instanceof BsonDocument fields) {
      fields.put(name, created);
    } else {
      pad(location, name).add(created);
    }
    tell(path.subList(0, location.depth() + 1), created, true);
    if (!isInsert) {
      DocumentRules.requireStorable(document, location.path(), location.depth() + 1, created);
    }
  }

  private static BsonArray pad(Location location, String name) {
    long index = UpdatePath.arrayIndex(name);
    if (index < 0 || !location.value().isArray()) {
      throw new CommandException(
          ErrorCode.PATH_NOT_VIABLE,
          "Cannot create field '" + name + "' in element {" + location.text() + "}");
    }
    var elements = location.value().asArray();
    if (index - elements.size() > PADDING_MAX) {
      throw new CommandException(
          ErrorCode.CANNOT_BACKFILL_ARRAY, "can't backfill more than " + PADDING_MAX + " elements");
    }
    while (elements.size() < index) {
      elements.add(BsonNull.VALUE);
    }
    return elements;
  }
}
