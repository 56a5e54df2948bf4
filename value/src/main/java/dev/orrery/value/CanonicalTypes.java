package dev.orrery.value;

/**
 * MongoDB's brackets of BSON types: values of different brackets order by these numbers, values of
 * one bracket by what they hold. The numbers are MongoDB's own; hashed indexes depend on them.
 */
public final class CanonicalTypes {
  public static final int MIN_KEY = -1;

  /** Undefined, and a field that is missing. */
  public static final int UNDEFINED = 0;

  public static final int NULL = 5;
  public static final int NUMBER = 10;

  /** Strings and symbols. */
  public static final int STRING = 15;

  public static final int DOCUMENT = 20;
  public static final int ARRAY = 25;
  public static final int BINARY = 30;
  public static final int OBJECT_ID = 35;
  public static final int BOOLEAN = 40;
  public static final int DATE = 45;
  public static final int TIMESTAMP = 47;
  public static final int REGEX = 50;
  public static final int DB_POINTER = 55;
  public static final int CODE = 60;
  public static final int CODE_WITH_SCOPE = 65;
  public static final int MAX_KEY = 127;

  private CanonicalTypes() {}

  /** The bracket of a BSON type byte. */
  public static int of(byte type) {
    switch (type) {
      case RawTypes.DOUBLE:
      case RawTypes.INT32:
      case RawTypes.INT64:
      case RawTypes.DECIMAL128:
        return NUMBER;
      case RawTypes.STRING:
      case RawTypes.SYMBOL:
        return STRING;
      case RawTypes.DOCUMENT:
        return DOCUMENT;
      case RawTypes.ARRAY:
        return ARRAY;
      case RawTypes.BINARY:
        return BINARY;
      case RawTypes.UNDEFINED:
        return UNDEFINED;
      case RawTypes.OBJECT_ID:
        return OBJECT_ID;
      case RawTypes.BOOLEAN:
        return BOOLEAN;
      case RawTypes.DATE:
        return DATE;
      case RawTypes.NULL:
        return NULL;
      case RawTypes.REGEX:
        return REGEX;
      case RawTypes.DB_POINTER:
        return DB_POINTER;
      case RawTypes.CODE:
        return CODE;
      case RawTypes.CODE_WITH_SCOPE:
        return CODE_WITH_SCOPE;
      case RawTypes.TIMESTAMP:
        return TIMESTAMP;
      case RawTypes.MIN_KEY:
        return MIN_KEY;
      case RawTypes.MAX_KEY:
        return MAX_KEY;
      default:
        throw new IllegalArgumentException("not a BSON type: " + type);
    }
  }
}
