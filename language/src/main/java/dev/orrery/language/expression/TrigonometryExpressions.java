package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.DecimalMath;
import dev.orrery.language.number.Decimals;
import dev.orrery.language.number.Numbers;
import java.math.BigDecimal;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/** {@code $sin $cos $tan}, their hyperbolic and inverse kin, degrees and radians. */
final class TrigonometryExpressions {
  private static final double INFINITE = Double.POSITIVE_INFINITY;

  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          bounded("$acos", Bounds.ONE, Math::acos, DecimalMath::acos),
          bounded("$acosh", Bounds.FROM_ONE, TrigonometryExpressions::acosh, DecimalMath::acosh),
          bounded("$asin", Bounds.ONE, Math::asin, DecimalMath::asin),
          plain("$asinh", TrigonometryExpressions::asinh, DecimalMath::asinh),
          plain("$atan", Math::atan, DecimalMath::atan),
          entry("$atan2", Arguments.binary(TrigonometryExpressions::atan2)),
          bounded("$atanh", Bounds.ONE, TrigonometryExpressions::atanh, DecimalMath::atanh),
          bounded("$cos", Bounds.FINITE, Math::cos, DecimalMath::cos),
          plain("$cosh", Math::cosh, DecimalMath::cosh),
          plain("$degreesToRadians", x -> x * (Math.PI / 180), DecimalMath::degreesToRadians),
          plain("$radiansToDegrees", x -> x * (180 / Math.PI), DecimalMath::radiansToDegrees),
          bounded("$sin", Bounds.FINITE, Math::sin, DecimalMath::sin),
          plain("$sinh", Math::sinh, DecimalMath::sinh),
          bounded("$tan", Bounds.FINITE, Math::tan, DecimalMath::tan),
          plain("$tanh", Math::tanh, DecimalMath::tanh));

  private TrigonometryExpressions() {}

  /** The numbers a function takes, in MongoDB's notation. */
  private enum Bounds {
    ONE("[-1,1]", -1, 1),
    FROM_ONE("[1,inf]", 1, INFINITE),
    FINITE("(-inf,inf)", -Double.MAX_VALUE, Double.MAX_VALUE);

    private final String text;
    private final double min;
    private final double max;

    Bounds(String text, double min, double max) {
      this.text = text;
      this.min = min;
      this.max = max;
    }

    boolean holds(BsonValue number) {
      double value = Numbers.toDouble(number);
      if (this == FINITE && number.isDecimal128()) {
        Decimal128 decimal = number.asDecimal128().getValue();
        return decimal.isNaN() || !decimal.isInfinite();
      }
      return Double.isNaN(value) || value >= min && value <= max;
    }
  }

  private static Map.Entry<String, ExpressionOperator> plain(
      String name, DoubleUnaryOperator doubles, UnaryOperator<BigDecimal> decimals) {
    return Numeric.unary(
        name,
        value ->
            Numeric.apply(value, doubles, decimal -> Numeric.finite(decimal, decimals, doubles)));
  }

  private static Map.Entry<String, ExpressionOperator> bounded(
      String name, Bounds bounds, DoubleUnaryOperator doubles, UnaryOperator<BigDecimal> decimals) {
    return Numeric.unary(
        name,
        value -> {
          if (!bounds.holds(value)) {
            throw new CommandException(
                ErrorCode.LOCATION_50989,
                String.format(
                    "cannot apply %s to %s, value must be in %s", name, shown(value), bounds.text));
          }
          return Numeric.apply(
              value, doubles, decimal -> Numeric.finite(decimal, decimals, doubles));
        });
  }

  /** Decimals in full, all else as the double that is computed with. */
  private static String shown(BsonValue number) {
    return number.isDecimal128() ? BsonText.aggregated(number) : Numeric.brief(number);
  }

  private static BsonValue atan2(@Nullable BsonValue y, @Nullable BsonValue x) {
    if (Truth.isNullish(y) || Truth.isNullish(x)) {
      return BsonNull.VALUE;
    }
    requireNumber(y, ErrorCode.LOCATION_51044);
    requireNumber(x, ErrorCode.LOCATION_51045);
    if (Numbers.widest(y, x) == BsonType.DECIMAL128) {
      Decimal128 top = Numbers.toDecimal(y);
      Decimal128 side = Numbers.toDecimal(x);
      if (top.isFinite() && side.isFinite() && !Decimals.isZero(top)) {
        return new BsonDecimal128(
            Decimals.of(DecimalMath.atan2(Decimals.exact(top), Decimals.exact(side))));
      }
      double angle = Math.atan2(Decimals.toDouble(top), Decimals.toDouble(side));
      return new BsonDecimal128(Decimals.of(angle));
    }
    return new BsonDouble(Math.atan2(Numbers.toDouble(y), Numbers.toDouble(x)));
  }

  private static void requireNumber(BsonValue value, ErrorCode code) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          code, "$atan2 only supports numeric types, not " + typeName(value));
    }
  }

  private static double asinh(double x) {
    double size = Math.abs(x);
    if (Double.isInfinite(x) || x == 0) {
      return x;
    }
    // For large x the square would overflow; for small ones log1p keeps the digits.
    double result =
        size > 1e150
            ? Math.log(size) + Math.log(2)
            : Math.log1p(size + size * size / (1 + Math.sqrt(1 + size * size)));
    return Math.copySign(result, x);
  }

  private static double acosh(double x) {
    return x > 1e150
        ? Math.log(x) + Math.log(2)
        : Math.log1p((x - 1) + Math.sqrt((x - 1) * (x + 1)));
  }

  private static double atanh(double x) {
    if (Math.abs(x) == 1) {
      return Math.copySign(INFINITE, x);
    }
    return 0.5 * (Math.log1p(x) - Math.log1p(-x));
  }
}
