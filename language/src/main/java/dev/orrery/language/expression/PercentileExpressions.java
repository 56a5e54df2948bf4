package dev.orrery.language.expression;

import static java.util.Map.entry;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.util.Map;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $median $percentile}: the values of an array at given ranks, as doubles. */
final class PercentileExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry(
              "$median",
              (name, argument, context) ->
                  parse(name, argument, context, ErrorCode.LOCATION_7436201)),
          entry(
              "$percentile",
              (name, argument, context) ->
                  parse(name, argument, context, ErrorCode.LOCATION_7436200)));

  private PercentileExpressions() {}

  private static Expression parse(
      String name, BsonValue argument, ParseContext context, ErrorCode notObject) {
    Percentiles percentiles = Percentiles.parse(name, argument, context, notObject);
    return new UnaryCall(input -> percentiles.of(numbers(input)), percentiles.input());
  }

  /** The numbers of an array, or the one number there is. */
  private static double[] numbers(@Nullable BsonValue input) {
    if (Numbers.isNumber(input)) {
      return new double[] {Numbers.toDouble(input)};
    }
    if (input == null || !input.isArray()) {
      return new double[0];
    }
    return input.asArray().stream()
        .filter(Numbers::isNumber)
        .mapToDouble(Numbers::toDouble)
        .toArray();
  }
}
