package dev.orrery.server.workload;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * Replaces values by others of the same type that tell nothing of them: equal values, and equal
 * numbers of different types, stay equal, all else about them is lost, their order and the length
 * of short texts too. The key is made for one recording and forgotten with it, so nobody can try
 * out what a value was. Used by one thread at a time.
 */
final class ValueHashes {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int TEXT_BYTES = 12;
  private static final int ID_BYTES = 12;

  private final Mac mac;

  ValueHashes(byte[] key) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** What takes the place of a value that is neither a document nor an array. */
  BsonValue of(BsonValue value) {
    return switch (value.getBsonType()) {
      case DOUBLE -> new BsonDouble(number(value));
      case STRING, SYMBOL, JAVASCRIPT, JAVASCRIPT_WITH_SCOPE, DB_POINTER -> text(value);
      case BINARY -> binary(value.asBinary());
      case OBJECT_ID -> new BsonObjectId(objectId(value.asObjectId().getValue().toByteArray()));
      case DATE_TIME -> new BsonDateTime(millis(value.asDateTime().getValue()));
      case REGULAR_EXPRESSION ->
          new BsonRegularExpression(
              hex(bytes(value.asRegularExpression().getPattern())),
              value.asRegularExpression().getOptions());
      case INT32 -> new BsonInt32(number(value));
      case TIMESTAMP -> new BsonTimestamp(first(longBytes(value.asTimestamp().getValue())));
      case INT64 -> new BsonInt64(number(value));
      case DECIMAL128 -> new BsonDecimal128(new Decimal128(number(value)));
      case BOOLEAN, NULL, UNDEFINED, MIN_KEY, MAX_KEY -> value;
      case DOCUMENT, ARRAY, END_OF_DOCUMENT ->
          throw new IllegalArgumentException(value.getBsonType() + " has no value of its own");
    };
  }

  /** One number for all that are equal to it; 31 bits, so that every type can have it. */
  private int number(BsonValue value) {
    String text;
    if (value.isDecimal128()) {
      Decimal128 decimal = value.asDecimal128().getValue();
      text = decimal.isFinite() ? plain(decimal) : decimal.toString();
    } else if (value.isDouble()) {
      double number = value.asDouble().getValue();
      text = Double.isFinite(number) ? plain(number) : String.valueOf(number);
    } else {
      text = String.valueOf(value.asNumber().longValue());
    }
    return (int) (first(bytes(text)) & Integer.MAX_VALUE);
  }

  private static String plain(double number) {
    boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1L << 53;
    return isWhole ? String.valueOf((long) number) : String.valueOf(number);
  }

  private static String plain(Decimal128 decimal) {
    double near = decimal.doubleValue();
    return near == 0 || new Decimal128(new BigDecimal(near)).compareTo(decimal) == 0
        ? plain(near)
        : decimal.toString();
  }

  private BsonValue text(BsonValue value) {
    String text =
        switch (value.getBsonType()) {
          case STRING -> value.asString().getValue();
          case SYMBOL -> value.asSymbol().getSymbol();
          default -> value.toString();
        };
    return new BsonString(hex(bytes(text)));
  }

  private String hex(byte[] bytes) {
    byte[] hash = mac.doFinal(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(cut(hash, TEXT_BYTES));
  }

  private BsonValue binary(BsonBinary value) {
    // A stand-in's hash is no secret to who can guess the value; its length is kept.
    int length = StandIns.lengthOf(value);
    byte[] hash = mac.doFinal(value.getData());
    if (length < 0) {
      return new BsonBinary(value.getType(), cut(hash, Math.min(hash.length, 16)));
    }
    byte[] data = value.getData().clone();
    System.arraycopy(hash, 0, data, data.length - StandIns.HASH_BYTES, StandIns.HASH_BYTES);
    return new BsonBinary(value.getType(), data);
  }

  private ObjectId objectId(byte[] bytes) {
    return new ObjectId(cut(mac.doFinal(bytes), ID_BYTES));
  }

  /** A time between 1970 and 2039. */
  private long millis(long time) {
    return first(longBytes(time)) & (1L << 41) - 1;
  }

  private long first(byte[] bytes) {
    return ByteBuffer.wrap(mac.doFinal(bytes)).getLong();
  }

  private static byte[] longBytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  private static byte[] bytes(@Nullable String text) {
    return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] cut(byte[] bytes, int length) {
    return Arrays.copyOf(bytes, length);
  }
}
