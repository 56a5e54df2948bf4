package dev.orrery.language.query;

import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.math.BigDecimal;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/** Small questions about raw values that several operators ask. */
final class ValueTypes {
  /** The bits of a Decimal128's high word that are all set in NaN and nothing else. */
  private static final long DECIMAL_NAN = 0x7c00_0000_0000_0000L;

  private static final long LARGE_FORM = 0x6000_0000_0000_0000L;
  private static final long HIGH_DIGITS = 0x0001_ffff_ffff_ffffL;

  private ValueTypes() {}

  static boolean isNaN(RawValue number) {
    return switch (number.type()) {
      case RawTypes.DOUBLE -> Double.isNaN(number.asDouble());
      case RawTypes.DECIMAL128 ->
          (LittleEndian.int64(number.bytes(), number.offset() + 8) & DECIMAL_NAN) == DECIMAL_NAN;
      default -> false;
    };
  }

  static Decimal128 decimal(RawValue value) {
    return Decimal128.fromIEEE754BIDEncoding(
        LittleEndian.int64(value.bytes(), value.offset() + 8),
        LittleEndian.int64(value.bytes(), value.offset()));
  }

  /** The exact value of a Decimal128, or null if it is NaN or infinite. */
  static @Nullable BigDecimal finiteDecimal(RawValue value) {
    var number = decimal(value);
    if (!number.isFinite()) {
      return null;
    }
    return isZero(number) ? BigDecimal.ZERO : number.bigDecimalValue(); // -0 has none of its own
  }

  /** What MongoDB takes for true: everything but false, zero, null and undefined. */
  static boolean isTrue(RawValue value) {
    return switch (value.type()) {
      case RawTypes.BOOLEAN -> value.asBoolean();
      case RawTypes.INT32 -> value.asInt32() != 0;
      case RawTypes.INT64 -> value.asInt64() != 0;
      case RawTypes.DOUBLE -> value.asDouble() != 0;
      case RawTypes.DECIMAL128 -> !isZero(decimal(value));
      case RawTypes.NULL, RawTypes.UNDEFINED -> false;
      default -> true;
    };
  }

  private static boolean isZero(Decimal128 number) {
    boolean hasLargeForm = (number.getHigh() & LARGE_FORM) == LARGE_FORM; // holds no valid digits
    boolean hasNoDigits = (number.getHigh() & HIGH_DIGITS) == 0 && number.getLow() == 0;
    return number.isFinite() && (hasLargeForm || hasNoDigits);
  }
}
