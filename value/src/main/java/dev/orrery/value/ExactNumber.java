package dev.orrery.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.bson.types.Decimal128;

/**
 * A number of any BSON type without loss: its kind, and its value if it is finite. The slow but
 * exact way to compare, taken as soon as a Decimal128 is involved.
 */
record ExactNumber(Kind kind, BigDecimal value) implements Comparable<ExactNumber> {
  /** In the order of comparison; all NaNs are one. */
  enum Kind {
    NAN,
    NEGATIVE_INFINITY,
    FINITE,
    POSITIVE_INFINITY
  }

  private static final ExactNumber NAN = new ExactNumber(Kind.NAN, BigDecimal.ZERO);
  private static final ExactNumber NEGATIVE_INFINITY =
      new ExactNumber(Kind.NEGATIVE_INFINITY, BigDecimal.ZERO);
  private static final ExactNumber POSITIVE_INFINITY =
      new ExactNumber(Kind.POSITIVE_INFINITY, BigDecimal.ZERO);

  static final int EXPONENT_BIAS = 6176;
  private static final BigInteger COEFFICIENT_MAX = BigInteger.TEN.pow(34).subtract(BigInteger.ONE);

  static ExactNumber of(long value) {
    return new ExactNumber(Kind.FINITE, BigDecimal.valueOf(value));
  }

  static ExactNumber of(double value) {
    if (Double.isNaN(value)) {
      return NAN;
    }
    if (Double.isInfinite(value)) {
      return value < 0 ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
    }
    return new ExactNumber(Kind.FINITE, new BigDecimal(value));
  }

  static ExactNumber of(Decimal128 value) {
    return ofDecimal(value.getHigh(), value.getLow());
  }

  /** From the two halves of a Decimal128 in binary integer encoding. */
  static ExactNumber ofDecimal(long high, long low) {
    boolean isNegative = high < 0;
    int combination = (int) (high >>> 58) & 0x1F;
    if (combination == 0x1F) {
      return NAN;
    }
    if (combination == 0x1E) {
      return isNegative ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
    }
    if (combination >= 0x18) {
      return of(0L); // a coefficient beyond 34 digits: IEEE 754 reads it as zero
    }
    int scale = EXPONENT_BIAS - ((int) (high >>> 49) & 0x3FFF);
    long highBits = high & 0x1FFFFFFFFFFFFL;
    if (highBits == 0 && low >= 0) {
      return new ExactNumber(Kind.FINITE, BigDecimal.valueOf(isNegative ? -low : low, scale));
    }
    byte[] magnitude = new byte[16];
    BigEndian.putInt64(magnitude, 0, highBits);
    BigEndian.putInt64(magnitude, 8, low);
    var coefficient = new BigInteger(1, magnitude);
    if (coefficient.compareTo(COEFFICIENT_MAX) > 0) {
      return of(0L);
    }
    var signed = isNegative ? coefficient.negate() : coefficient;
    return new ExactNumber(Kind.FINITE, new BigDecimal(signed, scale));
  }

  boolean isFinite() {
    return kind == Kind.FINITE;
  }

  /** The nearest double; equal numbers of all types have the same one. */
  double toDouble() {
    return switch (kind) {
      case NAN -> Double.NaN;
      case NEGATIVE_INFINITY -> Double.NEGATIVE_INFINITY;
      case FINITE -> value.doubleValue();
      case POSITIVE_INFINITY -> Double.POSITIVE_INFINITY;
    };
  }

  @Override
  public int compareTo(ExactNumber other) {
    return kind == Kind.FINITE && other.kind == Kind.FINITE
        ? value.compareTo(other.value)
        : kind.compareTo(other.kind);
  }
}
