package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.DecimalMath;
import dev.orrery.language.number.Decimals;
import dev.orrery.language.number.Numbers;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Map;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/** {@code $abs $ceil $exp $floor $ln $log $log10 $pow $round $sqrt $trunc}. */
final class MathExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          Numeric.unary("$abs", MathExpressions::abs),
          Numeric.unary("$ceil", value -> whole(value, RoundingMode.CEILING)),
          Numeric.unary("$exp", MathExpressions::exp),
          Numeric.unary("$floor", value -> whole(value, RoundingMode.FLOOR)),
          Numeric.unary("$ln", MathExpressions::ln),
          entry("$log", Arguments.binary(MathExpressions::log)),
          Numeric.unary("$log10", MathExpressions::log10),
          entry("$pow", Arguments.binary(MathExpressions::pow)),
          entry("$round", Arguments.between(1, 2, v -> round("$round", RoundingMode.HALF_EVEN, v))),
          Numeric.unary("$sqrt", MathExpressions::sqrt),
          entry("$trunc", Arguments.between(1, 2, v -> round("$trunc", RoundingMode.DOWN, v))));

  private static final int PRECISION_MIN = -20;
  private static final int PRECISION_MAX = 100;

  private MathExpressions() {}

  private static BsonValue abs(BsonValue value) {
    return switch (value.getBsonType()) {
      case DOUBLE -> new BsonDouble(Math.abs(value.asDouble().getValue()));
      case DECIMAL128 -> new BsonDecimal128(Decimals.abs(value.asDecimal128().getValue()));
      case INT32 -> Numbers.intOrLong(Math.abs(Numbers.toLong(value)));
      default -> {
        long number = value.asInt64().getValue();
        if (number == Long.MIN_VALUE) {
          throw new CommandException(ErrorCode.LOCATION_28680, "can't take $abs of long long min");
        }
        yield new BsonInt64(Math.abs(number));
      }
    };
  }

  private static BsonValue whole(BsonValue value, RoundingMode mode) {
    if (value.isDouble()) {
      double number = value.asDouble().getValue();
      return new BsonDouble(mode == RoundingMode.FLOOR ? Math.floor(number) : Math.ceil(number));
    }
    return value.isDecimal128()
        ? new BsonDecimal128(Decimals.quantize(value.asDecimal128().getValue(), 0, mode))
        : value;
  }

  private static BsonValue exp(BsonValue value) {
    return Numeric.apply(
        value, Math::exp, decimal -> Numeric.finite(decimal, DecimalMath::exp, Math::exp));
  }

  private static BsonValue ln(BsonValue value) {
    requirePositive(value, ErrorCode.LOCATION_28766, "$ln's argument must be a positive number");
    return Numeric.apply(
        value, Math::log, decimal -> Numeric.finite(decimal, DecimalMath::ln, Math::log));
  }

  private static BsonValue log10(BsonValue value) {
    requirePositive(value, ErrorCode.LOCATION_28761, "$log10's argument must be a positive number");
    return Numeric.apply(
        value, Math::log10, decimal -> Numeric.finite(decimal, DecimalMath::log10, Math::log10));
  }

  private static void requirePositive(BsonValue value, ErrorCode code, String rule) {
    double number = Numbers.toDouble(value);
    // A positive decimal may be too small for a double.
    boolean isPositive =
        value.isDecimal128() ? isPositive(value.asDecimal128().getValue()) : number > 0;
    if (!isPositive && !Double.isNaN(number)) {
      throw new CommandException(code, rule + ", but is " + Numeric.brief(value));
    }
  }

  private static boolean isPositive(Decimal128 value) {
    return !value.isNaN() && !value.isNegative() && !Decimals.isZero(value);
  }

  private static BsonValue log(@Nullable BsonValue value, @Nullable BsonValue base) {
    if (Truth.isNullish(value) || Truth.isNullish(base)) {
      return BsonNull.VALUE;
    }
    requireNumber(value, ErrorCode.LOCATION_28756, "$log's argument");
    requireNumber(base, ErrorCode.LOCATION_28757, "$log's base");
    requirePositive(value, ErrorCode.LOCATION_28758, "$log's argument must be a positive number");
    String rule = "$log's base must be a positive number not equal to 1";
    requirePositive(base, ErrorCode.LOCATION_28759, rule);
    if (Numbers.toDouble(base) == 1) {
      throw new CommandException(ErrorCode.LOCATION_28759, rule + ", but is 1");
    }
    if (Numbers.widest(value, base) == BsonType.DECIMAL128) {
      Decimal128 top = Numbers.toDecimal(value);
      Decimal128 bottom = Numbers.toDecimal(base);
      if (top.isFinite() && bottom.isFinite()) {
        return new BsonDecimal128(
            Decimals.of(
                DecimalMath.ln(Decimals.exact(top))
                    .divide(DecimalMath.ln(Decimals.exact(bottom)), Decimals.CONTEXT)));
      }
      double quotient = Math.log(Decimals.toDouble(top)) / Math.log(Decimals.toDouble(bottom));
      return new BsonDecimal128(Decimals.of(quotient));
    }
    return new BsonDouble(Math.log(Numbers.toDouble(value)) / Math.log(Numbers.toDouble(base)));
  }

  private static void requireNumber(BsonValue value, ErrorCode code, String what) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(code, what + " must be numeric, not " + typeName(value));
    }
  }

  private static BsonValue sqrt(BsonValue value) {
    boolean isNegative =
        value.isDecimal128()
            ? value.asDecimal128().getValue().isNegative()
                && !Decimals.isZero(value.asDecimal128().getValue())
            : Numbers.toDouble(value) < 0;
    if (isNegative && !Numbers.isNaN(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_28714, "$sqrt's argument must be greater than or equal to 0");
    }
    return Numeric.apply(
        value, Math::sqrt, decimal -> Numeric.finite(decimal, DecimalMath::sqrt, Math::sqrt));
  }

  private static BsonValue pow(@Nullable BsonValue base, @Nullable BsonValue exponent) {
    if (Truth.isNullish(base) || Truth.isNullish(exponent)) {
      return BsonNull.VALUE;
    }
    requireNumber(base, ErrorCode.LOCATION_28762, "$pow's base");
    requireNumber(exponent, ErrorCode.LOCATION_28763, "$pow's exponent");
    if (!Truth.isTrue(base) && Numbers.toDouble(exponent) < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_28764, "$pow cannot take a base of 0 and a negative exponent");
    }
    return switch (Numbers.widest(base, exponent)) {
      case INT32 -> powLong(Numbers.toLong(base), Numbers.toLong(exponent), false);
      case INT64 -> powLong(Numbers.toLong(base), Numbers.toLong(exponent), true);
      case DOUBLE -> new BsonDouble(Math.pow(Numbers.toDouble(base), Numbers.toDouble(exponent)));
      default ->
          new BsonDecimal128(powDecimal(Numbers.toDecimal(base), Numbers.toDecimal(exponent)));
    };
  }

  /** A whole power; a double if a long can't hold it. */
  private static BsonValue powLong(long base, long exponent, boolean isLong) {
    long result;
    if (base == 0 || base == 1) {
      result = exponent == 0 ? 1 : base;
    } else if (base == -1) {
      result = exponent % 2 == 0 ? 1 : -1;
    } else if (exponent < 0 || exponent >= Long.SIZE) {
      return new BsonDouble(Math.pow(base, exponent));
    } else {
      var exact = BigInteger.valueOf(base).pow((int) exponent);
      if (exact.bitLength() >= Long.SIZE) {
        return new BsonDouble(Math.pow(base, exponent));
      }
      result = exact.longValue();
    }
    return isLong ? new BsonInt64(result) : Numbers.intOrLong(result);
  }

  private static Decimal128 powDecimal(Decimal128 base, Decimal128 exponent) {
    if (!base.isFinite() || !exponent.isFinite() || Decimals.isZero(base)) {
      return Decimals.of(Math.pow(Decimals.toDouble(base), Decimals.toDouble(exponent)));
    }
    BigDecimal x = Decimals.exact(base);
    BigDecimal y = Decimals.exact(exponent);
    boolean isWhole = y.signum() == 0 || y.stripTrailingZeros().scale() <= 0;
    if (isWhole && y.abs().compareTo(BigDecimal.valueOf(999)) <= 0) {
      var wide = new MathContext(60, RoundingMode.HALF_EVEN);
      return Decimals.of(x.pow(y.intValue(), wide));
    }
    if (x.signum() < 0 && !isWhole) {
      return Decimal128.NaN;
    }
    boolean isNegative = x.signum() < 0 && y.toBigInteger().testBit(0);
    BigDecimal logarithm = DecimalMath.ln(x.abs()).multiply(y);
    BigDecimal power = DecimalMath.exp(logarithm);
    if (power == null) {
      return logarithm.signum() > 0 ? Decimals.infinity(isNegative) : Decimals.ZERO;
    }
    return isNegative ? Decimals.negate(Decimals.of(power)) : Decimals.of(power);
  }

  private static BsonValue round(String name, RoundingMode mode, @Nullable BsonValue[] values) {
    BsonValue number = values[0];
    if (Truth.isNullish(number)) {
      return BsonNull.VALUE;
    }
    if (!Numbers.isNumber(number)) {
      throw new CommandException(
          ErrorCode.LOCATION_51081, name + " only supports numeric types, not " + typeName(number));
    }
    if (values.length == 1) {
      return round(name, mode, number, 0);
    }
    BsonValue places = values[1];
    if (Truth.isNullish(places)) {
      return BsonNull.VALUE;
    }
    return round(name, mode, number, requirePlaces(name, places));
  }

  private static int requirePlaces(String name, BsonValue places) {
    if (!Numbers.isNumber(places)) {
      throw new CommandException(
          ErrorCode.LOCATION_16004,
          "can't convert from BSON type " + typeName(places) + " to long");
    }
    long count = Numbers.requireLong(places);
    if (!Numbers.isInt(places)) {
      throw new CommandException(
          ErrorCode.LOCATION_51082, "precision argument to  " + name + " must be a integral value");
    }
    if (count < PRECISION_MIN || count > PRECISION_MAX) {
      throw new CommandException(
          ErrorCode.LOCATION_51083,
          String.format(
              "cannot apply %s with precision value %d value must be in [-20, 100]", name, count));
    }
    return (int) count;
  }

  private static BsonValue round(String name, RoundingMode mode, BsonValue number, int places) {
    switch (number.getBsonType()) {
      case DECIMAL128:
        return new BsonDecimal128(
            Decimals.quantize(number.asDecimal128().getValue(), places, mode));
      case DOUBLE:
        return new BsonDouble(round(number.asDouble().getValue(), places, mode));
      default:
        return places >= 0 ? number : roundLong(name, mode, number, places);
    }
  }

  private static double round(double value, int places, RoundingMode mode) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return value;
    }
    BigDecimal exact = new BigDecimal(value).round(Decimals.CONTEXT);
    BigDecimal rounded = exact.setScale(places, mode);
    if (rounded.precision() > Decimals.CONTEXT.getPrecision()) {
      return Double.NaN;
    }
    return Math.copySign(rounded.doubleValue(), value);
  }

  private static BsonValue roundLong(String name, RoundingMode mode, BsonValue number, int places) {
    long value = Numbers.toLong(number);
    BigDecimal rounded = BigDecimal.valueOf(value).setScale(places, mode);
    if (rounded.toBigInteger().bitLength() >= Long.SIZE) {
      throw new CommandException(
          ErrorCode.LOCATION_51080,
          String.format(
              "invalid conversion from Decimal128 result in %s resulting from arguments: [%d, %d]",
              name, value, places));
    }
    long result = rounded.longValue();
    // MongoDB widens an int that got too large, but cuts one that got too small.
    return number.isInt64() || result > Integer.MAX_VALUE
        ? new BsonInt64(result)
        : new BsonInt32((int) result);
  }
}
