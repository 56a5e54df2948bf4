package dev.orrery.server.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;

/**
 * Long texts and binary values take much room in a recording and nobody looks at them: what is kept
 * is a hash and the length. Equal values have equal stand-ins, and {@link #filled} makes values of
 * the same type and length of them.
 */
public final class StandIns {
  /** Longer ones are replaced; what a key may be made of is shorter. */
  static final int BYTES_MAX = 256;

  private static final byte SUBTYPE = (byte) 0x80;
  private static final byte[] MARK = {'O', 'R', 'S', 'I'};
  static final int HASH_BYTES = 8;
  private static final int LENGTH = MARK.length + 1 + Integer.BYTES + HASH_BYTES;

  private StandIns() {}

  /** The value, or what stands for it. */
  static BsonValue of(BsonValue value) {
    if (value.isString()) {
      byte[] utf8 = value.asString().getValue().getBytes(StandardCharsets.UTF_8);
      return utf8.length <= BYTES_MAX ? value : standIn(BsonType.STRING, utf8);
    }
    if (value.isBinary()) {
      byte[] data = value.asBinary().getData();
      return data.length <= BYTES_MAX ? value : standIn(BsonType.BINARY, data);
    }
    return value;
  }

  private static BsonValue standIn(BsonType type, byte[] bytes) {
    var data = ByteBuffer.allocate(LENGTH);
    data.put(MARK).put((byte) type.getValue()).putInt(bytes.length);
    data.put(hash(bytes), 0, HASH_BYTES);
    return new BsonBinary(SUBTYPE, data.array());
  }

  private static byte[] hash(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** How long the value is for which one stands, in bytes; -1 for any other. */
  static int lengthOf(BsonValue value) {
    if (!value.isBinary() || value.asBinary().getType() != SUBTYPE) {
      return -1;
    }
    byte[] data = value.asBinary().getData();
    boolean isOne =
        data.length == LENGTH && ByteBuffer.wrap(data, 0, 4).equals(ByteBuffer.wrap(MARK));
    return isOne ? ByteBuffer.wrap(data).getInt(MARK.length + 1) : -1;
  }

  /** The document with values of the right type and length for all that stand for others. */
  public static BsonDocument filled(BsonDocument document) {
    var filled = new BsonDocument();
    document.forEach((name, value) -> filled.append(name, filledValue(value)));
    return filled;
  }

  private static BsonValue filledValue(BsonValue value) {
    if (value.isDocument()) {
      return filled(value.asDocument());
    }
    if (value.isArray()) {
      var array = new BsonArray();
      value.asArray().forEach(one -> array.add(filledValue(one)));
      return array;
    }
    int length = lengthOf(value);
    return length < 0 ? value : filler(value.asBinary().getData(), length);
  }

  private static BsonValue filler(byte[] standIn, int length) {
    byte[] hex =
        HexFormat.of()
            .formatHex(standIn, LENGTH - HASH_BYTES, LENGTH)
            .getBytes(StandardCharsets.US_ASCII);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = hex[i % hex.length];
    }
    return standIn[MARK.length] == BsonType.STRING.getValue()
        ? new BsonString(new String(bytes, StandardCharsets.US_ASCII))
        : new BsonBinary(bytes);
  }
}
