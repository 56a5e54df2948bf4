package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/** Raw bytes to objects of the bson library, several times faster than its general reader. */
final class BsonDecoder {
  private BsonDecoder() {}

  static BsonDocument document(byte[] bytes, int offset) {
    var document = new BsonDocument();
    var elements = new RawElements(bytes, offset, 0);
    while (elements.next()) {
      document.append(elements.name(), value(elements.type(), bytes, elements.valueOffset()));
    }
    return document;
  }

  private static BsonArray array(byte[] bytes, int offset) {
    var array = new BsonArray();
    var elements = new RawElements(bytes, offset, 0);
    while (elements.next()) {
      array.add(value(elements.type(), bytes, elements.valueOffset()));
    }
    return array;
  }

  static BsonValue value(byte type, byte[] bytes, int offset) {
    switch (type) {
      case RawTypes.DOUBLE:
        return new BsonDouble(Double.longBitsToDouble(LittleEndian.int64(bytes, offset)));
      case RawTypes.STRING:
        return new BsonString(string(bytes, offset));
      case RawTypes.DOCUMENT:
        return document(bytes, offset);
      case RawTypes.ARRAY:
        return array(bytes, offset);
      case RawTypes.BINARY:
        return binary(bytes, offset);
      case RawTypes.UNDEFINED:
        return new BsonUndefined();
      case RawTypes.OBJECT_ID:
        return new BsonObjectId(objectId(bytes, offset));
      case RawTypes.BOOLEAN:
        return BsonBoolean.valueOf(bytes[offset] != 0);
      case RawTypes.DATE:
        return new BsonDateTime(LittleEndian.int64(bytes, offset));
      case RawTypes.NULL:
        return BsonNull.VALUE;
      case RawTypes.REGEX:
        return regex(bytes, offset);
      case RawTypes.DB_POINTER:
        int idOffset = offset + 4 + LittleEndian.int32(bytes, offset);
        return new BsonDbPointer(string(bytes, offset), objectId(bytes, idOffset));
      case RawTypes.CODE:
        return new BsonJavaScript(string(bytes, offset));
      case RawTypes.SYMBOL:
        return new BsonSymbol(string(bytes, offset));
      case RawTypes.CODE_WITH_SCOPE:
        int scopeOffset = offset + 8 + LittleEndian.int32(bytes, offset + 4);
        return new BsonJavaScriptWithScope(string(bytes, offset + 4), document(bytes, scopeOffset));
      case RawTypes.INT32:
        return new BsonInt32(LittleEndian.int32(bytes, offset));
      case RawTypes.TIMESTAMP:
        return new BsonTimestamp(LittleEndian.int64(bytes, offset));
      case RawTypes.INT64:
        return new BsonInt64(LittleEndian.int64(bytes, offset));
      case RawTypes.DECIMAL128:
        return new BsonDecimal128(decimal(bytes, offset));
      case RawTypes.MIN_KEY:
        return new BsonMinKey();
      case RawTypes.MAX_KEY:
        return new BsonMaxKey();
      default:
        throw new IllegalArgumentException("not a BSON type: " + type);
    }
  }

  static Decimal128 decimal(byte[] bytes, int offset) {
    return Decimal128.fromIEEE754BIDEncoding(
        LittleEndian.int64(bytes, offset + 8), LittleEndian.int64(bytes, offset));
  }

  private static String string(byte[] bytes, int offset) {
    int length = LittleEndian.int32(bytes, offset);
    return new String(bytes, offset + 4, length - 1, StandardCharsets.UTF_8);
  }

  private static ObjectId objectId(byte[] bytes, int offset) {
    return new ObjectId(java.nio.ByteBuffer.wrap(bytes, offset, 12));
  }

  private static BsonBinary binary(byte[] bytes, int offset) {
    int length = LittleEndian.int32(bytes, offset);
    byte subType = bytes[offset + 4];
    byte[] data = java.util.Arrays.copyOfRange(bytes, offset + 5, offset + 5 + length);
    return new BsonBinary(subType, data);
  }

  private static BsonRegularExpression regex(byte[] bytes, int offset) {
    int optionsOffset = RawTypes.endOfCString(bytes, offset);
    int end = RawTypes.endOfCString(bytes, optionsOffset);
    return new BsonRegularExpression(
        new String(bytes, offset, optionsOffset - 1 - offset, StandardCharsets.UTF_8),
        new String(bytes, optionsOffset, end - 1 - optionsOffset, StandardCharsets.UTF_8));
  }
}
