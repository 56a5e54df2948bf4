package dev.orrery.language.number;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import java.math.BigDecimal;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * Arithmetic over int, long, double and decimal. The wider type of the operands wins; an int result
 * that does not fit becomes a long. What happens to a long that does not fit differs: expressions
 * go on with a double ({@link #add}), updates refuse ({@link #addExact}).
 */
public final class Numbers {
  private static final double TWO_63 = 0x1p63;

  private Numbers() {}

  public static boolean isNumber(@Nullable BsonValue value) {
    return value instanceof BsonNumber;
  }

  /** The wider of two numeric types: int, long, double, decimal. */
  static BsonType widest(BsonType left, BsonType right) {
    return rank(left) >= rank(right) ? left : right;
  }

  private static int rank(BsonType type) {
    return switch (type) {
      case INT32 -> 0;
      case INT64 -> 1;
      case DOUBLE -> 2;
      case DECIMAL128 -> 3;
      default -> throw new IllegalArgumentException("not numeric: " + type);
    };
  }

  public static BsonType widest(BsonValue left, BsonValue right) {
    return widest(left.getBsonType(), right.getBsonType());
  }

  /** An int if it fits, else a long. */
  public static BsonValue intOrLong(long value) {
    return (int) value == value ? new BsonInt32((int) value) : new BsonInt64(value);
  }

  public static double toDouble(BsonValue number) {
    return switch (number.getBsonType()) {
      case DOUBLE -> number.asDouble().getValue();
      case INT32 -> number.asInt32().getValue();
      case INT64 -> number.asInt64().getValue();
      case DECIMAL128 -> Decimals.toDouble(number.asDecimal128().getValue());
      default -> throw new IllegalArgumentException("not numeric: " + number.getBsonType());
    };
  }

  /** A long; fractions are cut off, what is out of range or NaN goes to the nearest end or zero. */
  public static long toLong(BsonValue number) {
    return switch (number.getBsonType()) {
      case DOUBLE -> (long) number.asDouble().getValue();
      case INT32 -> number.asInt32().getValue();
      case INT64 -> number.asInt64().getValue();
      case DECIMAL128 -> toLong(number.asDecimal128().getValue());
      default -> throw new IllegalArgumentException("not numeric: " + number.getBsonType());
    };
  }

  /** A long; a double out of range is refused. */
  public static long requireLong(BsonValue number) {
    if (number.isDouble()) {
      double value = number.asDouble().getValue();
      if (!(value >= -TWO_63 && value < TWO_63)) {
        throw new CommandException(
            ErrorCode.LOCATION_31109,
            "Can't coerce out of range value " + DoubleText.brief(value) + " to long");
      }
    }
    return toLong(number);
  }

  private static long toLong(Decimal128 value) {
    double approximate = Decimals.toDouble(value);
    return Math.abs(approximate) < TWO_63 && value.isFinite()
        ? Decimals.exact(value).longValue()
        : (long) approximate;
  }

  /** The number as a decimal; a double is rounded to 15 digits, as MongoDB does. */
  public static Decimal128 toDecimal(BsonValue number) {
    return switch (number.getBsonType()) {
      case DOUBLE -> Decimals.of(number.asDouble().getValue());
      case INT32 -> Decimals.of(number.asInt32().getValue());
      case INT64 -> Decimals.of(number.asInt64().getValue());
      case DECIMAL128 -> number.asDecimal128().getValue();
      default -> throw new IllegalArgumentException("not numeric: " + number.getBsonType());
    };
  }

  /** Whether it is a whole number in the range of an int, of whatever type. */
  public static boolean isInt(@Nullable BsonValue value) {
    return isLong(value) && (int) toLong(value) == toLong(value);
  }

  /** Whether it is a whole number in the range of a long, of whatever type. */
  public static boolean isLong(@Nullable BsonValue value) {
    if (!isNumber(value)) {
      return false;
    }
    return switch (value.getBsonType()) {
      case INT32, INT64 -> true;
      case DOUBLE -> isLong(value.asDouble().getValue());
      default -> isLong(value.asDecimal128().getValue());
    };
  }

  private static boolean isLong(double value) {
    return value >= -TWO_63 && value < TWO_63 && value == Math.rint(value);
  }

  private static boolean isLong(Decimal128 value) {
    if (!value.isFinite()) {
      return false;
    }
    BigDecimal exact = Decimals.exact(value);
    if (exact.signum() == 0) {
      return true;
    }
    // Digits before the point; keeps 1E+6000 from being written out.
    int digits = exact.precision() - exact.scale();
    return digits > 0
        && digits <= 19
        && exact.stripTrailingZeros().scale() <= 0
        && exact.toBigInteger().bitLength() < Long.SIZE;
  }

  /** The number of elements that $firstN and its kin are to keep. */
  public static long requireElementCount(@Nullable BsonValue n) {
    String rule = "Value for 'n' must be of integral type, but found ";
    if (!isNumber(n)) {
      throw new CommandException(ErrorCode.LOCATION_5787902, rule + BsonText.aggregated(n));
    }
    if (!isLong(n)) {
      throw new CommandException(ErrorCode.LOCATION_5787903, rule + BsonText.aggregated(n));
    }
    long count = toLong(n);
    if (count <= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_5787908, "'n' must be greater than 0, found " + count);
    }
    return count;
  }

  public static boolean isNaN(BsonValue number) {
    return switch (number.getBsonType()) {
      case DOUBLE -> Double.isNaN(number.asDouble().getValue());
      case DECIMAL128 -> number.asDecimal128().getValue().isNaN();
      default -> false;
    };
  }

  /** The sum as {@code $add} computes it: a long that overflows becomes a double. */
  public static BsonValue add(BsonValue left, BsonValue right) {
    BsonValue sum = addExact(left, right);
    return sum != null ? sum : new BsonDouble(toDouble(left) + toDouble(right));
  }

  /** The sum as {@code $inc} computes it: null if a long overflows. */
  public static @Nullable BsonValue addExact(BsonValue left, BsonValue right) {
    if (left instanceof BsonInt32 a && right instanceof BsonInt32 b) {
      return intOrLong((long) a.getValue() + b.getValue());
    }
    if (left instanceof BsonDouble a && right instanceof BsonDouble b) {
      return new BsonDouble(a.getValue() + b.getValue());
    }
    return switch (widest(left, right)) {
      case INT32 -> intOrLong(toLong(left) + toLong(right));
      case INT64 -> {
        long a = toLong(left);
        long b = toLong(right);
        long sum = a + b;
        yield ((a ^ sum) & (b ^ sum)) < 0 ? null : new BsonInt64(sum);
      }
      case DOUBLE -> new BsonDouble(toDouble(left) + toDouble(right));
      default -> new BsonDecimal128(Decimals.add(toDecimal(left), toDecimal(right)));
    };
  }

  /** The difference as {@code $subtract} computes it: a long that overflows becomes a double. */
  public static BsonValue subtract(BsonValue left, BsonValue right) {
    return switch (widest(left, right)) {
      case INT32 -> intOrLong(toLong(left) - toLong(right));
      case INT64 -> {
        long a = toLong(left);
        long b = toLong(right);
        long difference = a - b;
        yield ((a ^ b) & (a ^ difference)) < 0
            ? new BsonDouble(toDouble(left) - toDouble(right))
            : new BsonInt64(difference);
      }
      case DOUBLE -> new BsonDouble(toDouble(left) - toDouble(right));
      default -> new BsonDecimal128(Decimals.subtract(toDecimal(left), toDecimal(right)));
    };
  }

  /** A double, or a decimal if one of the numbers is; by zero it is infinite or NaN. */
  public static BsonValue divide(BsonValue left, BsonValue right) {
    return widest(left, right) == BsonType.DECIMAL128
        ? new BsonDecimal128(Decimals.divide(toDecimal(left), toDecimal(right)))
        : new BsonDouble(toDouble(left) / toDouble(right));
  }

  /** The product as {@code $multiply} computes it: a long that overflows becomes a double. */
  public static BsonValue multiply(BsonValue left, BsonValue right) {
    BsonValue product = multiplyExact(left, right);
    return product != null ? product : new BsonDouble(toDouble(left) * toDouble(right));
  }

  /** The product as {@code $mul} computes it: null if a long overflows. */
  public static @Nullable BsonValue multiplyExact(BsonValue left, BsonValue right) {
    if (left instanceof BsonInt32 a && right instanceof BsonInt32 b) {
      return intOrLong((long) a.getValue() * b.getValue());
    }
    if (left instanceof BsonDouble a && right instanceof BsonDouble b) {
      return new BsonDouble(a.getValue() * b.getValue());
    }
    return switch (widest(left, right)) {
      case INT32 -> intOrLong(toLong(left) * toLong(right));
      case INT64 -> {
        long a = toLong(left);
        long b = toLong(right);
        long high = Math.multiplyHigh(a, b);
        long low = a * b;
        yield high == low >> 63 ? new BsonInt64(low) : null;
      }
      case DOUBLE -> new BsonDouble(toDouble(left) * toDouble(right));
      default -> new BsonDecimal128(Decimals.multiply(toDecimal(left), toDecimal(right)));
    };
  }
}
