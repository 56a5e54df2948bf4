package dev.orrery.language.expression;

import static java.util.Map.entry;

import dev.orrery.language.number.NumberSpread;
import dev.orrery.language.number.NumberSum;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Accumulators over the operands of one document: {@code $avg $first $last $max $min $stdDevPop
 * $stdDevSamp $sum}. A single operand that is an array stands for its elements.
 */
final class SummaryExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          summary("$avg", SummaryExpressions::average),
          entry(
              "$first",
              Arguments.unary(
                  array ->
                      ArrayExpressions.elementAt("$first", "argument", array, new BsonInt32(0)))),
          entry(
              "$last",
              Arguments.unary(
                  array ->
                      ArrayExpressions.elementAt("$last", "argument", array, new BsonInt32(-1)))),
          entry("$max", (name, argument, context) -> extreme(argument, context, -1)),
          entry("$min", (name, argument, context) -> extreme(argument, context, 1)),
          summary("$stdDevPop", values -> deviation(values, 0)),
          summary("$stdDevSamp", values -> deviation(values, 1)),
          summary("$sum", SummaryExpressions::sum));

  private SummaryExpressions() {}

  private static Map.Entry<String, ExpressionOperator> summary(
      String name, Function<List<BsonValue>, BsonValue> function) {
    return entry(
        name,
        (operator, argument, context) ->
            new FunctionCall(
                values -> function.apply(list(values)), Arguments.list(argument, context)));
  }

  private static List<BsonValue> list(@Nullable BsonValue[] values) {
    return values.length == 1 && values[0] != null && values[0].isArray()
        ? values[0].asArray()
        : Arrays.asList(values);
  }

  private static BsonValue sum(List<BsonValue> values) {
    var sum = new NumberSum();
    values.forEach(sum::add);
    return sum.sum();
  }

  private static BsonValue average(List<BsonValue> values) {
    var sum = new NumberSum();
    values.forEach(sum::add);
    BsonValue average = sum.average();
    return average == null ? BsonNull.VALUE : average;
  }

  private static BsonValue deviation(List<BsonValue> values, int lost) {
    var deviation = new NumberSpread();
    values.forEach(deviation::add);
    return deviation.result(lost);
  }

  /** The value that is first in the order, or last if the sign is negative; nothing is skipped. */
  private static Expression extreme(BsonValue argument, ParseContext context, int sign) {
    Comparator<BsonValue> order = context.order();
    return new FunctionCall(
        values -> {
          BsonValue best = null;
          for (BsonValue value : list(values)) {
            if (!Truth.isNullish(value)
                && (best == null || order.compare(value, best) * sign < 0)) {
              best = value;
            }
          }
          return best == null ? BsonNull.VALUE : best;
        },
        Arguments.list(argument, context));
  }
}
