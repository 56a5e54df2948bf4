package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.math.BigDecimal;

/**
 * An operator's numeric argument that must be whole: {@code {$size: 2.0}} is, 2.5 is not. What is
 * wrong is kept as words, since operators report it under different codes.
 */
public record IntegerArgument(long value, String error) {
  private static final double TWO_63 = 0x1p63;
  private static final BigDecimal LONG_MIN = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

  public boolean isValid() {
    return error == null;
  }

  /** Any 64-bit integer. */
  public static IntegerArgument parse(String name, RawValue argument) {
    return switch (argument.type()) {
      case RawTypes.INT32 -> valid(argument.asInt32());
      case RawTypes.INT64 -> valid(argument.asInt64());
      case RawTypes.DOUBLE -> parseDouble(name, argument);
      case RawTypes.DECIMAL128 -> parseDecimal(name, argument);
      default -> invalid("Expected a number in: ", name, argument);
    };
  }

  /** A 64-bit integer of at least 0. */
  static IntegerArgument parseNonNegative(String name, RawValue argument) {
    var parsed = parse(name, argument);
    return parsed.isValid() && parsed.value < 0
        ? invalid("Expected a non-negative number in: ", name, argument)
        : parsed;
  }

  /** An integer of at least 0 that fits into 32 bits. */
  static IntegerArgument parseNonNegativeInt(String name, RawValue argument) {
    var parsed = parse(name, argument);
    if (parsed.isValid() && parsed.value != (int) parsed.value) {
      return new IntegerArgument(0, "Cannot represent " + text(name, argument) + " in an int");
    }
    return parsed.isValid() && parsed.value < 0
        ? invalid("Expected a non-negative number in: ", name, argument)
        : parsed;
  }

  private static IntegerArgument parseDouble(String name, RawValue argument) {
    double number = argument.asDouble();
    if (Double.isNaN(number)) {
      return invalid("Expected an integer, but found NaN in: ", name, argument);
    }
    if (number >= TWO_63 || number < -TWO_63) {
      return invalid("Cannot represent as a 64-bit integer: ", name, argument);
    }
    return number == (long) number
        ? valid((long) number)
        : invalid("Expected an integer: ", name, argument);
  }

  private static IntegerArgument parseDecimal(String name, RawValue argument) {
    var whole = exactLong(argument);
    return whole == null
        ? invalid("Cannot represent as a 64-bit integer: ", name, argument)
        : valid(whole);
  }

  /** The number as a long without any loss, or null. */
  static Long exactLong(RawValue number) {
    switch (number.type()) {
      case RawTypes.INT32:
        return (long) number.asInt32();
      case RawTypes.INT64:
        return number.asInt64();
      case RawTypes.DOUBLE:
        double value = number.asDouble();
        boolean fits = value >= -TWO_63 && value < TWO_63 && value == (long) value;
        return fits ? (Long) (long) value : null;
      default:
        var decimal = ValueTypes.finiteDecimal(number);
        return decimal == null || isOutside(decimal) || hasFraction(decimal)
            ? null
            : (Long) decimal.longValue();
    }
  }

  /** The number as a long, its fraction cut off, or null if it does not fit. */
  static Long truncatedLong(RawValue number) {
    switch (number.type()) {
      case RawTypes.DOUBLE:
        double value = number.asDouble();
        return value >= -TWO_63 && value < TWO_63 ? (Long) (long) value : null;
      case RawTypes.DECIMAL128:
        var decimal = ValueTypes.finiteDecimal(number);
        return decimal == null || isOutside(decimal) ? null : (Long) decimal.longValue();
      default:
        return exactLong(number);
    }
  }

  private static boolean isOutside(BigDecimal number) {
    // Compared by size first: 1E+6000 must not be written out digit by digit.
    return number.precision() - number.scale() > 19
        || number.compareTo(LONG_MIN) < 0
        || number.compareTo(LONG_MAX) > 0;
  }

  private static boolean hasFraction(BigDecimal number) {
    return number.signum() != 0 && number.stripTrailingZeros().scale() > 0;
  }

  private static IntegerArgument valid(long value) {
    return new IntegerArgument(value, null);
  }

  private static IntegerArgument invalid(String words, String name, RawValue argument) {
    return new IntegerArgument(0, words + text(name, argument));
  }

  private static String text(String name, RawValue argument) {
    return BsonText.element(name, argument.toBsonValue());
  }
}
