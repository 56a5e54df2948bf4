package dev.orrery.server.expiry;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;

/**
 * When a document was written last, which Cosmos DB calls {@code _ts}: a date, the last field of a
 * stored document where an index lets documents expire by it. Clients do not see it.
 */
public final class LastModified {
  public static final String FIELD = "_ts";

  private static final byte[] NAME = FIELD.getBytes(StandardCharsets.UTF_8);

  /** Type, name, terminator and value of the field. */
  private static final int FIELD_BYTES = 1 + NAME.length + 1 + Long.BYTES;

  private static final int HEAD_BYTES = Integer.BYTES;

  private LastModified() {}

  /** {@code {a: 1} -> {a: 1, _ts: ISODate(...)}}; a field of that name is replaced. */
  public static RawDocument stamp(RawDocument document, long millis) {
    RawDocument own = hide(document);
    if (own.field(NAME) != null) {
      BsonDocument changed = own.toBsonDocument();
      changed.remove(FIELD);
      return RawDocument.of(changed.append(FIELD, new BsonDateTime(millis)));
    }
    var bytes = ByteBuffer.allocate(own.length() + FIELD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(own.length() + FIELD_BYTES);
    bytes.put(own.bytes(), own.offset() + HEAD_BYTES, own.length() - HEAD_BYTES - 1);
    bytes.put(RawTypes.DATE).put(NAME).put((byte) 0).putLong(millis).put((byte) 0);
    return RawDocument.wrap(bytes.array());
  }

  /** {@code {a: 1, _ts: ISODate(...)} -> {a: 1}}; the same document if there is no such end. */
  public static RawDocument hide(RawDocument document) {
    if (!isStamped(document)) {
      return document;
    }
    int length = document.length() - FIELD_BYTES;
    byte[] bytes =
        Arrays.copyOfRange(document.bytes(), document.offset(), document.offset() + length);
    bytes[length - 1] = 0;
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(length);
    return RawDocument.wrap(bytes);
  }

  /** The bytes at the end tell almost always; only where they look so are the fields gone over. */
  private static boolean isStamped(RawDocument document) {
    int field = document.offset() + document.length() - 1 - FIELD_BYTES;
    if (document.length() < HEAD_BYTES + FIELD_BYTES + 1
        || document.bytes()[field] != RawTypes.DATE
        || !Arrays.equals(
            document.bytes(), field + 1, field + 1 + NAME.length, NAME, 0, NAME.length)) {
      return false;
    }
    RawElements elements = document.elements();
    boolean isLast = false;
    while (elements.next()) {
      isLast = elements.type() == RawTypes.DATE && elements.nameEquals(NAME);
    }
    return isLast;
  }
}
