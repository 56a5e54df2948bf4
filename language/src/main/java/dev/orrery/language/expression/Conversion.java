package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;

import dev.orrery.language.date.DateText;
import dev.orrery.language.date.Dates;
import dev.orrery.language.date.Zone;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Decimals;
import dev.orrery.language.number.NumberText;
import dev.orrery.language.number.Numbers;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/** What {@code $convert} makes of a value of one type in another. */
final class Conversion {
  private static final double TWO_63 = 0x1p63;
  private static final String NO_ON_ERROR = " in $convert with no onError value";

  private Conversion() {}

  static BsonValue convert(BsonValue input, BsonType target) {
    BsonValue converted =
        switch (target) {
          case DOUBLE -> toDouble(input);
          case STRING -> toText(input);
          case OBJECT_ID -> toObjectId(input);
          case BOOLEAN -> Truth.of(Truth.isTrue(input));
          case DATE_TIME -> toDate(input);
          case INT32 -> toInt(input);
          case INT64 -> toLong(input);
          case DECIMAL128 -> toDecimal(input);
          default -> null;
        };
    if (converted == null) {
      throw failed(
          String.format(
              "Unsupported conversion from %s to %s%s",
              typeName(input), BsonText.typeName(target), NO_ON_ERROR));
    }
    return converted;
  }

  private static CommandException failed(String message) {
    return new CommandException(ErrorCode.CONVERSION_FAILURE, message);
  }

  private static CommandException overflow(String value) {
    return failed("Conversion would overflow target type" + NO_ON_ERROR + ": " + value);
  }

  private static @Nullable BsonValue toDouble(BsonValue input) {
    return switch (input.getBsonType()) {
      case DOUBLE -> input;
      case STRING -> NumberText.toDouble(input.asString().getValue());
      case BOOLEAN -> new BsonDouble(input.asBoolean().getValue() ? 1 : 0);
      case DATE_TIME -> new BsonDouble(input.asDateTime().getValue());
      case INT32, INT64 -> new BsonDouble(Numbers.toDouble(input));
      case DECIMAL128 -> toDouble(input.asDecimal128().getValue());
      default -> null;
    };
  }

  private static BsonValue toDouble(Decimal128 value) {
    double converted = Decimals.toDouble(value);
    boolean isOverflow = Double.isInfinite(converted) && value.isFinite();
    boolean isUnderflow =
        Math.abs(converted) < Double.MIN_NORMAL && value.isFinite() && !Decimals.isZero(value);
    if (isOverflow || isUnderflow) {
      throw overflow(value.toString());
    }
    return new BsonDouble(converted);
  }

  private static @Nullable BsonValue toText(BsonValue input) {
    return switch (input.getBsonType()) {
      case DOUBLE -> new BsonString(NumberText.shortest(input.asDouble().getValue()));
      case STRING -> input;
      case OBJECT_ID -> new BsonString(input.asObjectId().getValue().toHexString());
      case BOOLEAN -> new BsonString(input.asBoolean().getValue() ? "true" : "false");
      case DATE_TIME -> new BsonString(Dates.toIsoText(input.asDateTime().getValue()));
      case INT32, INT64, DECIMAL128 -> new BsonString(Coercion.toText(input));
      default -> null;
    };
  }

  private static @Nullable BsonValue toObjectId(BsonValue input) {
    if (input.isObjectId()) {
      return input;
    }
    if (!input.isString()) {
      return null;
    }
    String text = input.asString().getValue();
    String prefix = "Failed to parse objectId '" + text + "'" + NO_ON_ERROR + ": ";
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    if (length != 24) {
      throw failed(
          prefix + "Invalid string length for parsing to OID, expected 24 but found " + length);
    }
    for (int i = 0; i < text.length(); i++) {
      if (Character.digit(text.charAt(i), 16) < 0 || text.charAt(i) >= 0x80) {
        throw failed(prefix + "Invalid character found in hex string: " + text.charAt(i));
      }
    }
    return new BsonObjectId(new ObjectId(text));
  }

  private static @Nullable BsonValue toDate(BsonValue input) {
    return switch (input.getBsonType()) {
      case DOUBLE, INT64, DECIMAL128 -> new BsonDateTime(Numbers.toLong(toLong(input)));
      case STRING -> new BsonDateTime(DateText.parse(input.asString().getValue(), Zone.UTC));
      case OBJECT_ID, DATE_TIME, TIMESTAMP -> new BsonDateTime(Coercion.toMillis(input));
      default -> null;
    };
  }

  private static @Nullable BsonValue toInt(BsonValue input) {
    return switch (input.getBsonType()) {
      case DOUBLE -> {
        double value = requireFinite(input.asDouble().getValue());
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
          throw overflow(DoubleText.brief(value));
        }
        yield new BsonInt32((int) value);
      }
      case STRING -> NumberText.toInt(input.asString().getValue());
      case BOOLEAN -> new BsonInt32(input.asBoolean().getValue() ? 1 : 0);
      case INT32 -> input;
      case INT64 -> {
        long value = input.asInt64().getValue();
        if ((int) value != value) {
          // MongoDB forgets to say which value.
          throw overflow("");
        }
        yield new BsonInt32((int) value);
      }
      case DECIMAL128 -> new BsonInt32((int) whole(input.asDecimal128().getValue(), Integer.SIZE));
      default -> null;
    };
  }

  private static @Nullable BsonValue toLong(BsonValue input) {
    return switch (input.getBsonType()) {
      case DOUBLE -> {
        double value = requireFinite(input.asDouble().getValue());
        if (value < -TWO_63 || value >= TWO_63) {
          throw overflow(DoubleText.brief(value));
        }
        yield new BsonInt64((long) value);
      }
      case STRING -> NumberText.toLong(input.asString().getValue());
      case BOOLEAN -> new BsonInt64(input.asBoolean().getValue() ? 1 : 0);
      case DATE_TIME -> new BsonInt64(input.asDateTime().getValue());
      case INT32 -> new BsonInt64(input.asInt32().getValue());
      case INT64 -> input;
      case DECIMAL128 -> new BsonInt64(whole(input.asDecimal128().getValue(), Long.SIZE));
      default -> null;
    };
  }

  private static double requireFinite(double value) {
    if (Double.isNaN(value)) {
      throw failed("Attempt to convert NaN value to integer type" + NO_ON_ERROR);
    }
    if (Double.isInfinite(value)) {
      throw failed("Attempt to convert infinity value to integer type" + NO_ON_ERROR);
    }
    return value;
  }

  /** The whole part, if it fits so many bits. */
  private static long whole(Decimal128 value, int bits) {
    if (!value.isFinite()) {
      requireFinite(Decimals.toDouble(value));
    }
    BigDecimal exact = Decimals.exact(value);
    boolean isHuge = exact.precision() - exact.scale() > 20;
    if (isHuge || exact.toBigInteger().bitLength() >= bits) {
      throw overflow(value.toString());
    }
    return exact.longValue();
  }

  private static @Nullable BsonValue toDecimal(BsonValue input) {
    return switch (input.getBsonType()) {
      case DOUBLE, INT32, INT64, DECIMAL128 -> new BsonDecimal128(Numbers.toDecimal(input));
      case STRING -> NumberText.toDecimal(input.asString().getValue());
      case BOOLEAN -> new BsonDecimal128(Decimals.of(input.asBoolean().getValue() ? 1L : 0L));
      case DATE_TIME -> new BsonDecimal128(Decimals.of(input.asDateTime().getValue()));
      default -> null;
    };
  }
}
