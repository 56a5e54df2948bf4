package dev.orrery.value;

import org.bson.BsonType;

/** The type bytes of BSON, and how long a value of each type is. */
public final class RawTypes {
  public static final byte DOUBLE = 0x01;
  public static final byte STRING = 0x02;
  public static final byte DOCUMENT = 0x03;
  public static final byte ARRAY = 0x04;
  public static final byte BINARY = 0x05;
  public static final byte UNDEFINED = 0x06;
  public static final byte OBJECT_ID = 0x07;
  public static final byte BOOLEAN = 0x08;
  public static final byte DATE = 0x09;
  public static final byte NULL = 0x0A;
  public static final byte REGEX = 0x0B;
  public static final byte DB_POINTER = 0x0C;
  public static final byte CODE = 0x0D;
  public static final byte SYMBOL = 0x0E;
  public static final byte CODE_WITH_SCOPE = 0x0F;
  public static final byte INT32 = 0x10;
  public static final byte TIMESTAMP = 0x11;
  public static final byte INT64 = 0x12;
  public static final byte DECIMAL128 = 0x13;
  public static final byte MIN_KEY = (byte) 0xFF;
  public static final byte MAX_KEY = 0x7F;

  /** Of each of eight bytes. */
  private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;

  private static final long HIGHEST_BITS = LOWEST_BITS << 7;

  private RawTypes() {}

  public static byte of(BsonType type) {
    return (byte) type.getValue();
  }

  public static boolean isNumber(byte type) {
    return type == INT32 || type == DOUBLE || type == INT64 || type == DECIMAL128;
  }

  /** How many bytes the value of that type at {@code offset} takes. */
  public static int sizeOf(byte type, byte[] bytes, int offset) {
    switch (type) {
      case DOUBLE:
      case DATE:
      case TIMESTAMP:
      case INT64:
        return 8;
      case STRING:
      case CODE:
      case SYMBOL:
        return 4 + LittleEndian.int32(bytes, offset);
      case DOCUMENT:
      case ARRAY:
      case CODE_WITH_SCOPE:
        return LittleEndian.int32(bytes, offset);
      case BINARY:
        return 5 + LittleEndian.int32(bytes, offset);
      case UNDEFINED:
      case NULL:
      case MIN_KEY:
      case MAX_KEY:
        return 0;
      case OBJECT_ID:
        return 12;
      case BOOLEAN:
        return 1;
      case REGEX:
        int afterPattern = endOfCString(bytes, offset);
        return endOfCString(bytes, afterPattern) - offset;
      case DB_POINTER:
        return 4 + LittleEndian.int32(bytes, offset) + 12;
      case INT32:
        return 4;
      case DECIMAL128:
        return 16;
      default:
        throw new IllegalArgumentException("not a BSON type: " + type);
    }
  }

  /** The offset after the terminating zero of the C string at {@code offset}. */
  static int endOfCString(byte[] bytes, int offset) {
    int at = offset;
    // Eight bytes at a time: names end after two bytes or ten, and a processor that goes from byte
    // to byte guesses wrong where.
    for (; at <= bytes.length - Long.BYTES; at += Long.BYTES) {
      long word = LittleEndian.int64(bytes, at);
      long zeros = word - LOWEST_BITS & ~word & HIGHEST_BITS; // the lowest one is right
      if (zeros != 0) {
        return at + Long.numberOfTrailingZeros(zeros) / Byte.SIZE + 1;
      }
    }
    while (bytes[at] != 0) {
      at++;
    }
    return at + 1;
  }
}
