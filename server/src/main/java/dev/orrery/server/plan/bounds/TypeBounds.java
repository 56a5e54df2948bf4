package dev.orrery.server.plan.bounds;

import dev.orrery.server.plan.bounds.Interval.Bound;
import dev.orrery.value.CanonicalTypes;
import dev.orrery.value.StringOrder;
import java.util.Arrays;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.ObjectId;

/** The least and the greatest value of each bracket of types, or the least of the next one. */
public final class TypeBounds {
  private TypeBounds() {}

  public static Bound low(int canonicalType, StringOrder strings) {
    return Bound.of(least(canonicalType), true, strings);
  }

  public static Bound high(int canonicalType, StringOrder strings) {
    byte[] last = new byte[12];
    Arrays.fill(last, (byte) 0xFF);
    BsonValue greatest =
        switch (canonicalType) {
          case CanonicalTypes.MIN_KEY, CanonicalTypes.MAX_KEY -> least(canonicalType);
          case CanonicalTypes.UNDEFINED, CanonicalTypes.NULL -> least(canonicalType);
          case CanonicalTypes.NUMBER -> new BsonDouble(Double.POSITIVE_INFINITY);
          case CanonicalTypes.OBJECT_ID -> new BsonObjectId(new ObjectId(last));
          case CanonicalTypes.BOOLEAN -> BsonBoolean.TRUE;
          case CanonicalTypes.DATE -> new BsonDateTime(Long.MAX_VALUE);
          case CanonicalTypes.TIMESTAMP -> new BsonTimestamp(-1L);
          default -> null;
        };
    return greatest == null
        ? Bound.of(least(next(canonicalType)), false, strings)
        : Bound.of(greatest, true, strings);
  }

  /** The bracket behind one that has no greatest value. */
  private static int next(int canonicalType) {
    return switch (canonicalType) {
      case CanonicalTypes.STRING -> CanonicalTypes.DOCUMENT;
      case CanonicalTypes.DOCUMENT -> CanonicalTypes.ARRAY;
      case CanonicalTypes.ARRAY -> CanonicalTypes.BINARY;
      case CanonicalTypes.BINARY -> CanonicalTypes.OBJECT_ID;
      case CanonicalTypes.REGEX -> CanonicalTypes.DB_POINTER;
      case CanonicalTypes.DB_POINTER -> CanonicalTypes.CODE;
      case CanonicalTypes.CODE -> CanonicalTypes.CODE_WITH_SCOPE;
      default -> CanonicalTypes.MAX_KEY;
    };
  }

  private static BsonValue least(int canonicalType) {
    return switch (canonicalType) {
      case CanonicalTypes.MIN_KEY -> new BsonMinKey();
      case CanonicalTypes.UNDEFINED -> new BsonUndefined();
      case CanonicalTypes.NULL -> BsonNull.VALUE;
      case CanonicalTypes.NUMBER -> new BsonDouble(Double.NEGATIVE_INFINITY); // NaN is no range
      case CanonicalTypes.STRING -> new BsonString("");
      case CanonicalTypes.DOCUMENT -> new BsonDocument();
      case CanonicalTypes.ARRAY -> new BsonArray();
      case CanonicalTypes.BINARY -> new BsonBinary(new byte[0]);
      case CanonicalTypes.OBJECT_ID -> new BsonObjectId(new ObjectId(new byte[12]));
      case CanonicalTypes.BOOLEAN -> BsonBoolean.FALSE;
      case CanonicalTypes.DATE -> new BsonDateTime(Long.MIN_VALUE);
      case CanonicalTypes.TIMESTAMP -> new BsonTimestamp(0L);
      case CanonicalTypes.REGEX -> new BsonRegularExpression("", "");
      case CanonicalTypes.DB_POINTER -> new BsonDbPointer("", new ObjectId(new byte[12]));
      case CanonicalTypes.CODE -> new BsonJavaScript("");
      case CanonicalTypes.CODE_WITH_SCOPE -> new BsonJavaScriptWithScope("", new BsonDocument());
      default -> new BsonMaxKey();
    };
  }
}
