package dev.orrery.server.command;

import dev.orrery.value.RawTypes;

/** The names of BSON types in MongoDB's messages. */
public final class BsonTypeNames {
  private BsonTypeNames() {}

  public static String of(byte type) {
    return switch (type) {
      case RawTypes.DOUBLE -> "double";
      case RawTypes.STRING -> "string";
      case RawTypes.DOCUMENT -> "object";
      case RawTypes.ARRAY -> "array";
      case RawTypes.BINARY -> "binData";
      case RawTypes.UNDEFINED -> "undefined";
      case RawTypes.OBJECT_ID -> "objectId";
      case RawTypes.BOOLEAN -> "bool";
      case RawTypes.DATE -> "date";
      case RawTypes.NULL -> "null";
      case RawTypes.REGEX -> "regex";
      case RawTypes.DB_POINTER -> "dbPointer";
      case RawTypes.CODE -> "javascript";
      case RawTypes.SYMBOL -> "symbol";
      case RawTypes.CODE_WITH_SCOPE -> "javascriptWithScope";
      case RawTypes.INT32 -> "int";
      case RawTypes.TIMESTAMP -> "timestamp";
      case RawTypes.INT64 -> "long";
      case RawTypes.DECIMAL128 -> "decimal";
      case RawTypes.MIN_KEY -> "minKey";
      case RawTypes.MAX_KEY -> "maxKey";
      default -> throw new IllegalArgumentException("not a BSON type: " + type);
    };
  }
}
