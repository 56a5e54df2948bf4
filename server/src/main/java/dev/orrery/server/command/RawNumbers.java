package dev.orrery.server.command;

import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.bson.types.Decimal128;

/** A number of any BSON type as a long: cut at the point, clamped to the range, NaN as zero. */
public final class RawNumbers {
  private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final BigDecimal MIN = BigDecimal.valueOf(Long.MIN_VALUE);

  private RawNumbers() {}

  public static long toLong(RawValue value) {
    return switch (value.type()) {
      case RawTypes.INT32 -> value.asInt32();
      case RawTypes.INT64 -> value.asInt64();
      case RawTypes.DOUBLE -> (long) value.asDouble(); // Java's cast clamps, and maps NaN to 0
      case RawTypes.DECIMAL128 -> toLong(value.toBsonValue().asDecimal128().getValue());
      default -> throw new IllegalArgumentException("not a number: " + value.type());
    };
  }

  static boolean isNaN(RawValue number) {
    return switch (number.type()) {
      case RawTypes.DOUBLE -> Double.isNaN(number.asDouble());
      case RawTypes.DECIMAL128 -> number.toBsonValue().asDecimal128().getValue().isNaN();
      default -> false;
    };
  }

  static boolean isBoolOrNumber(RawValue value) {
    return value.type() == RawTypes.BOOLEAN || value.isNumber();
  }

  /** What such a value says as a switch. */
  static boolean isTrue(RawValue boolOrNumber) {
    return switch (boolOrNumber.type()) {
      case RawTypes.BOOLEAN -> boolOrNumber.asBoolean();
      case RawTypes.DOUBLE -> boolOrNumber.asDouble() != 0;
      default -> toLong(boolOrNumber) != 0;
    };
  }

  private static long toLong(Decimal128 value) {
    if (value.isNaN()) {
      return 0;
    }
    if (value.isInfinite()) {
      return value.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    if (value.equals(Decimal128.NEGATIVE_ZERO) || isZero(value)) {
      return 0;
    }
    BigDecimal exact = value.bigDecimalValue();
    if (exact.compareTo(MAX) >= 0) {
      return Long.MAX_VALUE;
    }
    if (exact.compareTo(MIN) <= 0) {
      return Long.MIN_VALUE;
    }
    return exact.setScale(0, RoundingMode.HALF_EVEN).longValue();
  }

  /** Negative zero has no BigDecimal; every zero is told from its digits. */
  private static boolean isZero(Decimal128 value) {
    return value.isNegative()
        ? Decimal128.fromIEEE754BIDEncoding(value.getHigh() & Long.MAX_VALUE, value.getLow())
                .bigDecimalValue()
                .signum()
            == 0
        : value.bigDecimalValue().signum() == 0;
  }
}
