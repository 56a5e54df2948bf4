package dev.orrery.language.aggregate;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Decodes some fields of documents and skips the others: {@code a.b} of {@code {a: {b: 1, c: 2}, d:
 * 3}} gives {@code {a: {b: 1}}}. Values that are no documents stay whole, so that a path still
 * finds arrays and scalars where they were.
 */
final class FieldSelection {
  /** More names than that are not compared with each field one after the other. */
  private static final int COMPARED_MAX = 16;

  private final byte[][] encodedNames;
  private final String[] names;

  /** What is read of each field; null is all of it. */
  private final @Nullable FieldSelection[] below;

  /** The places of many names; null for a few. */
  private final @Nullable Map<String, Integer> places;

  private FieldSelection(Map<String, Set<String>> fields) {
    int count = fields.size();
    encodedNames = new byte[count][];
    names = new String[count];
    below = new FieldSelection[count];
    int next = 0;
    for (var field : fields.entrySet()) {
      names[next] = field.getKey();
      encodedNames[next] = field.getKey().getBytes(StandardCharsets.UTF_8);
      below[next] = field.getValue().contains("") ? null : of(field.getValue());
      next++;
    }
    places = count > COMPARED_MAX ? new HashMap<>() : null;
    for (int i = 0; places != null && i < count; i++) {
      places.put(names[i], i);
    }
  }

  /** A selection of dotted paths. */
  static FieldSelection of(Collection<String> paths) {
    Map<String, Set<String>> fields = new TreeMap<>();
    for (String path : paths) {
      int dot = path.indexOf('.');
      String rest = dot < 0 ? "" : path.substring(dot + 1);
      // A number may be the position in an array, of which all is read then.
      boolean isPosition = !rest.isEmpty() && Character.isDigit(rest.charAt(0));
      fields
          .computeIfAbsent(dot < 0 ? path : path.substring(0, dot), name -> new TreeSet<>())
          .add(isPosition ? "" : rest);
    }
    return new FieldSelection(fields);
  }

  BsonDocument decode(RawDocument document) {
    var decoded = new BsonDocument(names.length);
    RawElements elements = document.elements();
    while (decoded.size() < names.length && elements.next()) {
      int place = place(elements);
      if (place >= 0) {
        decoded.append(names[place], decode(elements.value(), below[place]));
      }
    }
    return decoded;
  }

  private int place(RawElements elements) {
    if (places != null) {
      Integer place = places.get(elements.name());
      return place == null ? -1 : place;
    }
    for (int i = 0; i < encodedNames.length; i++) {
      if (elements.nameEquals(encodedNames[i])) {
        return i;
      }
    }
    return -1;
  }

  private static BsonValue decode(RawValue value, @Nullable FieldSelection selection) {
    if (selection == null) {
      return value.toBsonValue();
    }
    if (value.isDocument()) {
      return selection.decode(value.asDocument());
    }
    if (!value.isArray()) {
      return value.toBsonValue();
    }
    var array = new BsonArray();
    RawElements elements = value.asDocument().elements();
    while (elements.next()) {
      RawValue element = elements.value();
      array.add(
          element.isDocument() ? selection.decode(element.asDocument()) : element.toBsonValue());
    }
    return array;
  }
}
