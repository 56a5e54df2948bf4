package dev.orrery.server.update;

import dev.orrery.storage.value.BsonEncoder;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawElements;
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
  private static final byte[] ID = "_id".getBytes(StandardCharsets.UTF_8);
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

  /**
   * The names as {@link #find} takes them. Null when they are many, or one begins with a dollar:
   * whether that is allowed depends on the fields beside it.
   */
  static byte @Nullable [][] names(Collection<String> names) {
    if (names.size() > NAMES_MAX) {
      return null;
    }
    var encoded = new byte[names.size()][];
    int count = 0;
    for (String name : names) {
      if (name.startsWith("$")) {
        return null;
      }
      encoded[count++] = name.getBytes(StandardCharsets.UTF_8);
    }
    return encoded;
  }

  /**
   * The fields of those names; null when the document has to be seen as a whole: it has one of them
   * twice, or its {@code _id} is not in front.
   */
  static @Nullable TouchedFields find(RawDocument before, byte[][] names) {
    RawElements elements = before.elements();
    if (!elements.next() || !elements.nameEquals(ID)) {
      return null;
    }
    var touched = new TouchedFields(before);
    touched.add(elements);
    while (elements.next()) {
      if (isTouched(elements, names) && !touched.add(elements)) {
        return null;
      }
    }
    return touched;
  }

  private static boolean isTouched(RawElements element, byte[][] names) {
    for (byte[] name : names) {
      if (element.nameEquals(name)) {
        return true;
      }
    }
    return element.nameEquals(ID);
  }

  /** False when there was one of this name before. */
  private boolean add(RawElements element) {
    String name = element.name();
    int end = element.valueOffset() + element.valueLength();
    places.add(new Place(name, element.nameOffset() - 1, end));
    return fields.put(name, element.value().toBsonValue()) == null;
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
