package dev.orrery.storage.value;

import java.math.BigDecimal;

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
      default -> truncatedLong(NumberOrder.exact(number));
    };
  }

  private static long truncatedLong(ExactNumber number) {
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
    int wholeDigits = value.precision() - value.scale();
    return wholeDigits <= 0 ? 0 : value.longValue();
  }
}
