package dev.orrery.value;

import org.bson.BsonValue;

/**
 * Compares numbers of all four BSON types by value, exactly. NaN is below everything and equal to
 * itself, and the two zeros are equal.
 */
final class NumberOrder {
  private static final double TWO_TO_63 = 0x1p63;

  private NumberOrder() {}

  static int compare(double left, double right) {
    if (left < right) {
      return -1;
    }
    if (left > right) {
      return 1;
    }
    if (left == right) {
      return 0;
    }
    return Boolean.compare(Double.isNaN(right), Double.isNaN(left));
  }

  static int compare(long left, double right) {
    if (right >= TWO_TO_63) {
      return -1;
    }
    if (!(right >= -TWO_TO_63)) { // also NaN
      return 1;
    }
    long whole = (long) right;
    return left != whole ? Long.compare(left, whole) : Double.compare(0, right - whole + 0.0);
  }

  static int compare(RawValue left, RawValue right) {
    boolean isLeftDouble = left.type() == RawTypes.DOUBLE;
    boolean isRightDouble = right.type() == RawTypes.DOUBLE;
    if (left.type() == RawTypes.DECIMAL128 || right.type() == RawTypes.DECIMAL128) {
      return exact(left).compareTo(exact(right));
    }
    if (isLeftDouble) {
      return isRightDouble
          ? compare(left.asDouble(), right.asDouble())
          : -compare(integer(right), left.asDouble());
    }
    return isRightDouble
        ? compare(integer(left), right.asDouble())
        : Long.compare(integer(left), integer(right));
  }

  static int compare(BsonValue left, BsonValue right) {
    if (left.isDecimal128() || right.isDecimal128()) {
      return exact(left).compareTo(exact(right));
    }
    if (left.isDouble()) {
      double value = left.asDouble().getValue();
      return right.isDouble()
          ? compare(value, right.asDouble().getValue())
          : -compare(integer(right), value);
    }
    return right.isDouble()
        ? compare(integer(left), right.asDouble().getValue())
        : Long.compare(integer(left), integer(right));
  }

  /** Equal for numbers that compare equal, of whatever types. */
  static int hash(BsonValue number) {
    double nearest =
        number.isDecimal128() ? exact(number).toDouble() : number.asNumber().doubleValue();
    return Double.hashCode(nearest + 0.0); // -0 becomes 0
  }

  static ExactNumber exact(BsonValue number) {
    if (number.isDecimal128()) {
      return ExactNumber.of(number.asDecimal128().getValue());
    }
    return number.isDouble()
        ? ExactNumber.of(number.asDouble().getValue())
        : ExactNumber.of(integer(number));
  }

  static ExactNumber exact(RawValue number) {
    if (number.type() == RawTypes.DECIMAL128) {
      return ExactNumber.ofDecimal(
          LittleEndian.int64(number.bytes(), number.offset() + 8), number.asInt64());
    }
    return number.type() == RawTypes.DOUBLE
        ? ExactNumber.of(number.asDouble())
        : ExactNumber.of(integer(number));
  }

  private static long integer(BsonValue number) {
    return number.isInt32() ? number.asInt32().getValue() : number.asInt64().getValue();
  }

  private static long integer(RawValue number) {
    return number.type() == RawTypes.INT32 ? number.asInt32() : number.asInt64();
  }
}
