package dev.orrery.server.update;

import dev.orrery.storage.value.BsonEncoder;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawElements;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Iterator;
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
  private final byte[][] names;
  private final BsonDocument fields = new BsonDocument();

  private TouchedFields(RawDocument before, byte[][] names) {
    this.before = before;
    this.names = names;
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
    var touched = new TouchedFields(before, names);
    RawElements elements = before.elements();
    for (boolean isFirst = true; elements.next(); isFirst = false) {
      if (isFirst && !elements.nameEquals(ID)) {
        return null;
      }
      if (touched.has(elements)
          && touched.fields.put(elements.name(), elements.value().toBsonValue()) != null) {
        return null;
      }
    }
    return touched.fields.isEmpty() ? null : touched;
  }

  private boolean has(RawElements element) {
    for (byte[] name : names) {
      if (element.nameEquals(name)) {
        return true;
      }
    }
    return element.nameEquals(ID);
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
    RawElements elements = before.elements();
    while (elements.next()) {
      if (!has(elements)) {
        out.writeElement(elements, before.bytes());
        continue;
      }
      String name = elements.name();
      if (fields.containsKey(name)) {
        if (!name.equals(next)) {
          return null;
        }
        out.writeElement(name, fields.get(name));
        next = order.hasNext() ? order.next() : null;
      }
    }
    for (; next != null; next = order.hasNext() ? order.next() : null) {
      out.writeElement(next, fields.get(next));
    }
    out.endDocument(start);
    return RawDocument.wrap(out.buffer(), 0, out.length());
  }
}
