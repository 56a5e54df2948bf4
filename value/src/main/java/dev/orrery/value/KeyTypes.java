package dev.orrery.value;

/*
 * One byte for every number, string and symbol in the values of a key, in their order, nested ones
 * too. Zeros at the end are cut off, and zero is the common case: a string; a whole number as the
 * shorter type of int and long that holds it; any other number as a double. So most keys need no
 * bytes at all. A Decimal128 has two more bytes: its exponent, biased, and the sign of a zero.
 */

/**
 * What {@link KeyEncoder} forgets about the types of values: bytes to keep beside a key where
 * queries are to be answered from the index alone. They are no part of the order.
 */
public final class KeyTypes {
  static final int DEFAULT = 0;
  static final int INT64 = 1;
  static final int DOUBLE = 2;
  static final int NEGATIVE_ZERO = 3;
  static final int DECIMAL = 4;
  static final int DECIMAL_NAN = 5;
  static final int DECIMAL_NEGATIVE_NAN = 6;
  static final int DECIMAL_INFINITY = 7;
  static final int SYMBOL = 8;

  static final int DECIMAL_SIGN = 0x8000;

  private final KeyBuffer out = new KeyBuffer(16);
  private int significant;

  /** Adds the types of the next value of a key; {@code null} is missing. */
  public KeyTypes append(RawValue value) {
    if (value != null) {
      add(value);
    }
    return this;
  }

  /** Empty if all types are the common ones. */
  public byte[] toByteArray() {
    out.truncate(significant);
    return out.toByteArray();
  }

  private void add(RawValue value) {
    switch (value.type()) {
      case RawTypes.DOUBLE -> write(ofDouble(value.asDouble()));
      case RawTypes.INT32, RawTypes.STRING -> write(DEFAULT);
      case RawTypes.INT64 -> write(fitsInt32(value.asInt64()) ? INT64 : DEFAULT);
      case RawTypes.DECIMAL128 -> addDecimal(value);
      case RawTypes.SYMBOL -> write(SYMBOL);
      case RawTypes.DOCUMENT, RawTypes.ARRAY -> addAll(value.asDocument());
      case RawTypes.CODE_WITH_SCOPE -> addAll(value.scope());
      default -> {} // the key tells the type
    }
  }

  private void addAll(RawDocument document) {
    var elements = document.elements();
    while (elements.next()) {
      add(elements.value());
    }
  }

  private void addDecimal(RawValue value) {
    var decimal = BsonDecoder.decimal(value.bytes(), value.offset());
    if (decimal.isNaN()) {
      write(decimal.isNegative() ? DECIMAL_NEGATIVE_NAN : DECIMAL_NAN);
    } else if (decimal.isInfinite()) {
      write(DECIMAL_INFINITY);
    } else {
      int exponent = -ExactNumber.of(decimal).value().scale();
      int sign = decimal.isNegative() ? DECIMAL_SIGN : 0;
      write(DECIMAL);
      out.writeLowBytes(exponent + ExactNumber.EXPONENT_BIAS | sign, 2);
      significant = out.length();
    }
  }

  private static int ofDouble(double value) {
    if (value == 0) {
      return 1 / value < 0 ? NEGATIVE_ZERO : DOUBLE;
    }
    boolean isLong = value >= -0x1p63 && value < 0x1p63 && (long) value == value;
    return isLong ? DOUBLE : DEFAULT;
  }

  static boolean fitsInt32(long value) {
    return (int) value == value;
  }

  private void write(int type) {
    out.writeByte(type);
    if (type != DEFAULT) {
      significant = out.length();
    }
  }
}
