package dev.orrery.value;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers of the four BSON types as Java numbers, straight from raw bytes. */
public final class BsonNumbers {
  private BsonNumbers() {}

  /** The nearest double; equal numbers of all types have the same one, up to the sign of zero. */
  public static double nearestDouble(RawValue number) {
    return switch (number.type()) {
      case RawTypes.DOUBLE -> number.asDouble();
      case RawTypes.INT32 -> number.asInt32();
      case RawTypes.INT64 -> number.asInt64();
      default -> NumberOrder.exact(number).toDouble();
    };
  }

  /** The number without its fraction, or the nearest long beyond their range; NaN is 0. */
  public static long truncatedLong(RawValue number) {
    return switch (number.type()) {
      case RawTypes.DOUBLE -> (long) number.asDouble();
      case RawTypes.INT32 -> number.asInt32();
      case RawTypes.INT64 -> number.asInt64();
      default -> toLong(NumberOrder.exact(number), RoundingMode.DOWN);
    };
  }

  /**
   * The long that MongoDB hashes for a number. It rounds decimals to the nearest, ties to even, but
   * cuts the fraction of doubles, and the double 2^63 overflows.
   */
  public static long mongoHashedLong(RawValue number) {
    if (number.type() == RawTypes.DOUBLE && number.asDouble() == 0x1p63) {
      return Long.MIN_VALUE;
    }
    return number.type() == RawTypes.DECIMAL128
        ? toLong(NumberOrder.exact(number), RoundingMode.HALF_EVEN)
        : truncatedLong(number);
  }

  private static long toLong(ExactNumber number, RoundingMode rounding) {
    if (!number.isFinite()) {
      return (long) number.toDouble();
    }
    BigDecimal value = number.value();
    if (value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) >= 0) {
      return Long.MAX_VALUE;
    }
    if (value.compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) <= 0) {
      return Long.MIN_VALUE;
    }
    boolean isTiny = value.precision() - value.scale() < 0; // below 0.1: spare the division
    return isTiny ? 0 : value.setScale(0, rounding).longValue();
  }
}
