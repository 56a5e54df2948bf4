package dev.orrery.language.update;

import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The part of a document that an update by operators can see or change: the fields at the top that
 * it names, and {@code _id}, which messages show. Only they are decoded and encoded again; all
 * others are copied as bytes.
 */
final class TouchedFields {
  private static final int GROWTH_EXPECTED = 256;

  /** Who names many fields has little to gain, and looks for each among all. */
  private static final int NAMES_MAX = 8;

  private final RawDocument before;
  private final BsonDocument fields = new BsonDocument();
  private final List<Place> places = new ArrayList<>();

  /** Where a touched field stands in the document, from its type to its end. */
  private record Place(String name, int start, int end) {}

  private TouchedFields(RawDocument before) {
    this.before = before;
  }

  /** A name as text, and as it stands in documents. */
  record Name(String text, byte[] utf8) {
    private static final Name ID = of("_id");

    static Name of(String text) {
      return new Name(text, text.getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * The names as {@link #find} takes them. Null when they are many, or one begins with a dollar:
   * whether that is allowed depends on the fields beside it.
   */
  static Name @Nullable [] names(Collection<String> names) {
    if (names.size() > NAMES_MAX) {
      return null;
    }
    var all = new Name[names.size()];
    int count = 0;
    for (String name : names) {
      if (name.startsWith("$")) {
        return null;
      }
      all[count++] = Name.of(name);
    }
    return all;
  }

  /**
   * The fields of those names; null when the document has to be seen as a whole: it has one of them
   * twice, or its {@code _id} is not in front.
   */
  static @Nullable TouchedFields find(RawDocument before, Name[] names) {
    RawElements elements = before.elements();
    if (!elements.next() || !elements.nameEquals(Name.ID.utf8)) {
      return null;
    }
    var touched = new TouchedFields(before);
    touched.add(Name.ID, elements);
    while (elements.next()) {
      Name name = touching(elements, names);
      if (name != null && !touched.add(name, elements)) {
        return null;
      }
    }
    return touched;
  }

  /** The name that an element has, if it is among these or {@code _id}. */
  private static @Nullable Name touching(RawElements element, Name[] names) {
    for (Name name : names) {
      if (element.nameEquals(name.utf8)) {
        return name;
      }
    }
    return element.nameEquals(Name.ID.utf8) ? Name.ID : null;
  }

  /** False when there was one of this name before. */
  private boolean add(Name name, RawElements element) {
    int end = element.valueOffset() + element.valueLength();
    places.add(new Place(name.text, element.nameOffset() - 1, end));
    return fields.put(name.text, element.value().toBsonValue()) == null;
  }

  /** What the update is applied to. */
  BsonDocument fields() {
    return fields;
  }

  /**
   * The whole document with the fields as they are now: those that stay in their places, new ones
   * behind. Null when an update put a field elsewhere, as a rename may do.
   */
  @Nullable RawDocument merged() {
    var out = new BsonEncoder(before.length() + GROWTH_EXPECTED);
    int start = out.startDocument();
    Iterator<String> order = fields.keySet().iterator();
    String next = order.next(); // nothing removes _id
    int copied = before.offset() + Integer.BYTES;
    for (Place place : places) {
      out.writeElements(before.bytes(), copied, place.start);
      copied = place.end;
      if (fields.containsKey(place.name)) {
        if (!place.name.equals(next)) {
          return null;
        }
        out.writeElement(next, fields.get(next));
        next = order.hasNext() ? order.next() : null;
      }
    }
    out.writeElements(before.bytes(), copied, before.offset() + before.length() - 1);
    for (; next != null; next = order.hasNext() ? order.next() : null) {
      out.writeElement(next, fields.get(next));
    }
    out.endDocument(start);
    return RawDocument.wrap(out.buffer(), 0, out.length());
  }
}
