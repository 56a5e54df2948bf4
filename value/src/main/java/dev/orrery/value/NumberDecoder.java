package dev.orrery.value;

import dev.orrery.value.KeyDecoder.KeySource;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/** Reads one number that {@link NumberKeys} wrote, with the type that {@link KeyTypes} tells. */
final class NumberDecoder {
  /** The unit of fractions in a key. */
  private static final BigDecimal STEP = new BigDecimal(0x1p-52);

  /** Every whole number up to here is a double. */
  private static final long WHOLE_EXACT_MAX = 1L << 53;

  private final KeySource key;
  private final KeySource types;
  private final int type;
  private final boolean isNegative;

  private NumberDecoder(KeySource key, KeySource types, boolean isNegative) {
    this.key = key;
    this.types = types;
    this.type = types.readByte();
    this.isNegative = isNegative;
  }

  static BsonValue read(int lead, KeySource key, KeySource types) {
    boolean isNegative = lead < NumberKeys.ZERO && lead != NumberKeys.NAN;
    var decoder = new NumberDecoder(key, types, isNegative);
    if (isNegative) {
      key.turn();
    }
    BsonValue value = decoder.readBody(lead);
    if (isNegative) {
      key.turn();
    }
    return value;
  }

  private BsonValue readBody(int lead) {
    int distance = Math.abs(lead - NumberKeys.ZERO);
    if (lead == NumberKeys.NAN) {
      return nan();
    }
    if (distance == 0) {
      return ofLong(0);
    }
    return distance == NumberKeys.SMALL || distance == NumberKeys.LARGE
        ? readByDouble()
        : readByParts(distance - NumberKeys.SMALL);
  }

  private BsonValue nan() {
    return switch (type) {
      case KeyTypes.DECIMAL_NAN -> new BsonDecimal128(Decimal128.NaN);
      case KeyTypes.DECIMAL_NEGATIVE_NAN -> new BsonDecimal128(Decimal128.NEGATIVE_NaN);
      default -> new BsonDouble(Double.NaN);
    };
  }

  private BsonValue readByDouble() {
    long body = key.readNumber(8);
    double magnitude = Double.longBitsToDouble(body >>> 1);
    double value = isNegative ? -magnitude : magnitude;
    if ((body & 1) != 0) {
      return ofDecimal(readDigits());
    }
    if (type == KeyTypes.DECIMAL_INFINITY) {
      return new BsonDecimal128(
          isNegative ? Decimal128.NEGATIVE_INFINITY : Decimal128.POSITIVE_INFINITY);
    }
    if (type == KeyTypes.DECIMAL) {
      return ofDecimal(new BigDecimal(value));
    }
    return value == Long.MIN_VALUE && type == KeyTypes.DEFAULT
        ? new BsonInt64(Long.MIN_VALUE)
        : new BsonDouble(value);
  }

  private BsonValue readByParts(int wholeBytes) {
    long body = key.readNumber(wholeBytes);
    long whole = body >>> 1;
    if ((body & 1) == 0) {
      return ofLong(isNegative ? -whole : whole);
    }
    long fraction = key.readNumber(7);
    if ((fraction & 1) != 0) {
      return ofDecimal(readDigits());
    }
    if (type != KeyTypes.DECIMAL && whole < WHOLE_EXACT_MAX) {
      // A double it was, or is rounded to once: both parts are exact, as is the product.
      double near = whole + (fraction >>> 4) * 0x1p-52;
      return new BsonDouble(isNegative ? -near : near);
    }
    BigDecimal magnitude =
        BigDecimal.valueOf(whole).add(BigDecimal.valueOf(fraction >>> 4).multiply(STEP));
    BigDecimal value = isNegative ? magnitude.negate() : magnitude;
    return type == KeyTypes.DECIMAL ? ofDecimal(value) : new BsonDouble(value.doubleValue());
  }

  private BigDecimal readDigits() {
    int exponent = (int) key.readNumber(2) - NumberKeys.EXPONENT_BIAS;
    var digits = new StringBuilder();
    for (int pair = key.readByte(); pair != KeyBuffer.TERMINATOR; pair = key.readByte()) {
      digits.append((pair - 1) / 10).append((pair - 1) % 10);
    }
    var magnitude =
        new BigDecimal(new BigInteger(digits.toString()), digits.length() - 1 - exponent);
    return isNegative ? magnitude.negate() : magnitude;
  }

  private BsonValue ofLong(long value) {
    return switch (type) {
      case KeyTypes.INT64 -> new BsonInt64(value);
      case KeyTypes.DOUBLE -> new BsonDouble(value);
      case KeyTypes.NEGATIVE_ZERO -> new BsonDouble(-0.0);
      case KeyTypes.DECIMAL -> ofDecimal(BigDecimal.valueOf(value));
      default -> KeyTypes.fitsInt32(value) ? new BsonInt32((int) value) : new BsonInt64(value);
    };
  }

  /** Gives a decimal the exponent it had: 5 and 5.00 are equal, and one key. */
  private BsonDecimal128 ofDecimal(BigDecimal value) {
    if (type != KeyTypes.DECIMAL) {
      return new BsonDecimal128(new Decimal128(value)); // the types were not kept
    }
    int exponentAndSign = (int) types.readNumber(2);
    int exponent = (exponentAndSign & ~KeyTypes.DECIMAL_SIGN) - ExactNumber.EXPONENT_BIAS;
    var decimal = new Decimal128(value.setScale(-exponent));
    boolean isNegativeZero = value.signum() == 0 && (exponentAndSign & KeyTypes.DECIMAL_SIGN) != 0;
    return new BsonDecimal128(
        isNegativeZero
            ? Decimal128.fromIEEE754BIDEncoding(
                decimal.getHigh() | Long.MIN_VALUE, decimal.getLow())
            : decimal);
  }
}
