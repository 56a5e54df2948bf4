package dev.orrery.language.number;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import org.bson.types.Decimal128;

/**
 * Arithmetic of IEEE 754 decimal128: 34 digits, half to even, with infinities, NaN and signed
 * zeros, and the exponents that IEEE prefers ({@code 1.50 + 1 = 2.50}).
 */
public final class Decimals {
  public static final MathContext CONTEXT = new MathContext(34, RoundingMode.HALF_EVEN);
  public static final Decimal128 ZERO = new Decimal128(0);

  private static final int SCALE_MAX = 6176;
  private static final int EXPONENT_MAX = 6111;
  private static final int DIGITS_OF_DOUBLE = 15;
  private static final long SIGN = Long.MIN_VALUE;

  private Decimals() {}

  public static boolean isZero(Decimal128 value) {
    return value.isFinite() && magnitude(value).signum() == 0;
  }

  public static Decimal128 negate(Decimal128 value) {
    return value.isNaN()
        ? value
        : Decimal128.fromIEEE754BIDEncoding(value.getHigh() ^ SIGN, value.getLow());
  }

  public static Decimal128 abs(Decimal128 value) {
    return value.isNegative() ? negate(value) : value;
  }

  /** The exact value of a finite number; a negative zero loses its sign. */
  public static BigDecimal exact(Decimal128 value) {
    BigDecimal magnitude = magnitude(value);
    return value.isNegative() ? magnitude.negate() : magnitude;
  }

  private static BigDecimal magnitude(Decimal128 value) {
    return (value.isNegative()
            ? Decimal128.fromIEEE754BIDEncoding(value.getHigh() & ~SIGN, value.getLow())
            : value)
        .bigDecimalValue();
  }

  /** The nearest decimal128; too large becomes infinity, too small zero. */
  public static Decimal128 of(BigDecimal value) {
    return of(value, false);
  }

  private static Decimal128 of(BigDecimal value, boolean isZeroNegative) {
    BigDecimal rounded = value.round(CONTEXT);
    if (rounded.scale() > SCALE_MAX) {
      rounded = value.setScale(SCALE_MAX, RoundingMode.HALF_EVEN);
    }
    if (rounded.signum() == 0) {
      int scale = Math.max(-EXPONENT_MAX, rounded.scale());
      var zero = new Decimal128(new BigDecimal(BigInteger.ZERO, scale));
      return isZeroNegative || value.signum() < 0 ? negate(zero) : zero;
    }
    if (-rounded.scale() > EXPONENT_MAX) {
      int excess = -rounded.scale() - EXPONENT_MAX;
      if (rounded.precision() + excess > CONTEXT.getPrecision()) {
        return rounded.signum() < 0 ? Decimal128.NEGATIVE_INFINITY : Decimal128.POSITIVE_INFINITY;
      }
      rounded = rounded.setScale(-EXPONENT_MAX);
    }
    return new Decimal128(rounded);
  }

  public static Decimal128 of(long value) {
    return new Decimal128(value);
  }

  /** A double rounded to 15 digits, all of them written: {@code 2.5 -> 2.50000000000000}. */
  public static Decimal128 of(double value) {
    if (Double.isNaN(value)) {
      return Decimal128.NaN;
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? Decimal128.POSITIVE_INFINITY : Decimal128.NEGATIVE_INFINITY;
    }
    if (value == 0) {
      return 1 / value < 0 ? Decimal128.NEGATIVE_ZERO : ZERO;
    }
    BigDecimal rounded =
        new BigDecimal(value)
            .round(CONTEXT)
            .round(new MathContext(DIGITS_OF_DOUBLE, RoundingMode.HALF_EVEN));
    return of(rounded.setScale(rounded.scale() + DIGITS_OF_DOUBLE - rounded.precision()));
  }

  public static double toDouble(Decimal128 value) {
    if (value.isNaN()) {
      return Double.NaN;
    }
    double sign = value.isNegative() ? -1 : 1;
    return sign * (value.isInfinite() ? Double.POSITIVE_INFINITY : magnitude(value).doubleValue());
  }

  static Decimal128 add(Decimal128 left, Decimal128 right) {
    if (left.isNaN() || right.isNaN()) {
      return Decimal128.NaN;
    }
    if (left.isInfinite()) {
      return right.isInfinite() && left.isNegative() != right.isNegative() ? Decimal128.NaN : left;
    }
    if (right.isInfinite()) {
      return right;
    }
    boolean isZeroNegative = left.isNegative() && right.isNegative();
    return of(exact(left).add(exact(right), CONTEXT), isZeroNegative);
  }

  static Decimal128 subtract(Decimal128 left, Decimal128 right) {
    return add(left, negate(right));
  }

  static Decimal128 multiply(Decimal128 left, Decimal128 right) {
    if (left.isNaN() || right.isNaN()) {
      return Decimal128.NaN;
    }
    boolean isNegative = left.isNegative() != right.isNegative();
    if (left.isInfinite() || right.isInfinite()) {
      return isZero(left) || isZero(right) ? Decimal128.NaN : infinity(isNegative);
    }
    return of(exact(left).multiply(exact(right)), isNegative);
  }

  /** The quotient; the divisor is not zero. */
  public static Decimal128 divide(Decimal128 left, Decimal128 right) {
    if (left.isNaN() || right.isNaN() || left.isInfinite() && right.isInfinite()) {
      return Decimal128.NaN;
    }
    boolean isNegative = left.isNegative() != right.isNegative();
    if (left.isInfinite()) {
      return infinity(isNegative);
    }
    if (right.isInfinite()) {
      return of(new BigDecimal(BigInteger.ZERO, SCALE_MAX), isNegative);
    }
    return of(exact(left).divide(exact(right), CONTEXT), isNegative);
  }

  /** The remainder with the sign of the dividend; the divisor is not zero. */
  public static Decimal128 remainder(Decimal128 left, Decimal128 right) {
    if (left.isNaN() || right.isNaN() || left.isInfinite()) {
      return Decimal128.NaN;
    }
    if (right.isInfinite()) {
      return left;
    }
    BigDecimal dividend = exact(left);
    BigDecimal divisor = exact(right);
    BigDecimal remainder = dividend.remainder(divisor);
    int scale = Math.max(dividend.scale(), divisor.scale());
    return of(remainder.setScale(scale), left.isNegative());
  }

  /** The number with that many digits after the point; NaN and infinity stay as they are. */
  public static Decimal128 quantize(Decimal128 value, int scale, RoundingMode mode) {
    if (!value.isFinite()) {
      return value;
    }
    BigDecimal rounded = exact(value).setScale(scale, mode);
    return rounded.precision() > CONTEXT.getPrecision()
        ? Decimal128.NaN
        : of(rounded, value.isNegative());
  }

  public static Decimal128 infinity(boolean isNegative) {
    return isNegative ? Decimal128.NEGATIVE_INFINITY : Decimal128.POSITIVE_INFINITY;
  }
}
