package dev.orrery.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/*
 * A number becomes a lead byte that tells its sign and magnitude, then a body; the body of a
 * negative number is complemented. x is the absolute value.
 *
 *   NaN, zero      no body
 *   small, x < 1   8 bytes: D * 2 + more, where D is the bits of the greatest double <= x
 *   x < 2^63       1 to 8 bytes (the lead tells how many): whole part * 2 + hasFraction, then for
 *                  a fraction 7 bytes: floor(fraction * 2^52) * 16 + more
 *   large          8 bytes as for small; infinity is here
 *
 * Whole numbers and doubles are represented exactly by that, with more = 0. Only a Decimal128 can
 * lie strictly between two such steps; then more = 1 and its exact value follows: the decimal
 * exponent of the first digit (2 bytes, biased), its significant digits in pairs (1 + 0..99), and
 * a 0. Within one step that orders by value, and equal values are always written the same way.
 * An int below 64 takes two bytes, a double that is no whole number nine or more.
 */

/** Writes numbers so that their unsigned bytes order by value, exactly, over all four types. */
final class NumberKeys {
  static final int NAN = 0x20;
  static final int ZERO = 0x2B;
  static final int POSITIVE_LARGE = 0x35;

  static final int SMALL = 1; // how far from ZERO a lead is; whole numbers have 2 to 9
  static final int LARGE = POSITIVE_LARGE - ZERO;

  private static final BigDecimal TWO_TO_52 = BigDecimal.valueOf(1L << 52);
  private static final BigDecimal TWO_TO_63 = new BigDecimal(BigInteger.ONE.shiftLeft(63));
  private static final int DIGITS_OF_TWO_TO_63 = 19;
  static final int EXPONENT_BIAS = 0x4000;

  private NumberKeys() {}

  static void write(KeyBuffer out, long value) {
    if (value == Long.MIN_VALUE) {
      write(out, (double) value); // its absolute value is no long, but it is a double
    } else if (value == 0) {
      out.writeByte(ZERO);
    } else {
      int body = out.length() + 1;
      writeWhole(out, Math.abs(value) << 1, value < 0);
      complementIf(value < 0, out, body);
    }
  }

  static void write(KeyBuffer out, double value) {
    if (Double.isNaN(value)) {
      out.writeByte(NAN);
      return;
    }
    if (value == 0) {
      out.writeByte(ZERO);
      return;
    }
    double x = Math.abs(value);
    boolean isNegative = value < 0;
    int body = out.length() + 1;
    if (x < 1 || x >= 0x1p63) {
      out.writeByte(lead(x < 1 ? SMALL : LARGE, isNegative));
      out.writeInt64(Double.doubleToRawLongBits(x) << 1);
    } else {
      long whole = (long) x;
      double fraction = x - whole;
      writeWhole(out, whole << 1 | (fraction == 0 ? 0 : 1), isNegative);
      if (fraction != 0) {
        out.writeLowBytes((long) (fraction * 0x1p52) << 4, 7);
      }
    }
    complementIf(isNegative, out, body);
  }

  static void write(KeyBuffer out, ExactNumber decimal) {
    if (!decimal.isFinite()) {
      write(out, decimal.toDouble());
      return;
    }
    BigDecimal x = decimal.value().abs();
    boolean isNegative = decimal.value().signum() < 0;
    if (x.signum() == 0) {
      out.writeByte(ZERO);
      return;
    }
    int body = out.length() + 1;
    int exponent = exponent(x);
    boolean isSmall = exponent < 0;
    if (isSmall || exponent >= DIGITS_OF_TWO_TO_63 || x.compareTo(TWO_TO_63) >= 0) {
      out.writeByte(lead(isSmall ? SMALL : LARGE, isNegative));
      writeByDouble(out, x);
    } else {
      writeByParts(out, x, isNegative);
    }
    complementIf(isNegative, out, body);
  }

  private static void writeByDouble(KeyBuffer out, BigDecimal x) {
    double floor = Math.min(x.doubleValue(), Double.MAX_VALUE);
    int difference = new BigDecimal(floor).compareTo(x);
    if (difference > 0) {
      floor = Math.nextDown(floor);
      difference = new BigDecimal(floor).compareTo(x);
    }
    out.writeInt64(Double.doubleToRawLongBits(floor) << 1 | (difference == 0 ? 0 : 1));
    if (difference != 0) {
      writeDigits(out, x);
    }
  }

  private static void writeByParts(KeyBuffer out, BigDecimal x, boolean isNegative) {
    BigInteger whole = x.toBigInteger();
    BigDecimal fraction = x.subtract(new BigDecimal(whole));
    boolean hasFraction = fraction.signum() != 0;
    writeWhole(out, whole.longValueExact() << 1 | (hasFraction ? 1 : 0), isNegative);
    if (hasFraction) {
      BigDecimal scaled = fraction.multiply(TWO_TO_52);
      long steps = scaled.longValue();
      boolean isExact = scaled.compareTo(BigDecimal.valueOf(steps)) == 0;
      out.writeLowBytes(steps << 4 | (isExact ? 0 : 1), 7);
      if (!isExact) {
        writeDigits(out, x);
      }
    }
  }

  private static void writeDigits(KeyBuffer out, BigDecimal x) {
    out.writeLowBytes(exponent(x) + EXPONENT_BIAS, 2);
    byte[] digits =
        x.stripTrailingZeros().unscaledValue().toString().getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < digits.length; i += 2) {
      int low = i + 1 < digits.length ? digits[i + 1] - '0' : 0;
      out.writeByte(10 * (digits[i] - '0') + low + 1);
    }
    out.writeByte(KeyBuffer.TERMINATOR);
  }

  /** The power of ten of the first digit. */
  private static int exponent(BigDecimal x) {
    return x.precision() - x.scale() - 1;
  }

  private static void writeWhole(KeyBuffer out, long shifted, boolean isNegative) {
    int count = 8 - Long.numberOfLeadingZeros(shifted) / 8;
    out.writeByte(lead(SMALL + count, isNegative));
    out.writeLowBytes(shifted, count);
  }

  private static int lead(int distance, boolean isNegative) {
    return isNegative ? ZERO - distance : ZERO + distance;
  }

  private static void complementIf(boolean isNegative, KeyBuffer out, int start) {
    if (isNegative) {
      out.complementFrom(start);
    }
  }
}
