package dev.orrery.language.expression;

import static java.util.Map.entry;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** {@code $cmp $eq $gt $gte $lt $lte $ne}: the order of all BSON values, missing included. */
final class ComparisonExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$cmp", ComparisonExpressions::compare),
          comparing("$eq", sign -> sign == 0),
          comparing("$gt", sign -> sign > 0),
          comparing("$gte", sign -> sign >= 0),
          comparing("$lt", sign -> sign < 0),
          comparing("$lte", sign -> sign <= 0),
          comparing("$ne", sign -> sign != 0));

  private ComparisonExpressions() {}

  private static Expression compare(String name, BsonValue argument, ParseContext context) {
    List<Expression> operands = Arguments.exactly(2, name, argument, context);
    Comparator<BsonValue> order = context.order();
    return new BinaryCall(
        (left, right) -> new BsonInt32(Integer.signum(order.compare(left, right))),
        operands.get(0),
        operands.get(1));
  }

  private static Map.Entry<String, ExpressionOperator> comparing(String name, IntPredicate test) {
    return entry(
        name,
        (operator, argument, context) -> {
          List<Expression> operands = Arguments.exactly(2, operator, argument, context);
          Comparator<BsonValue> order = context.order();
          return new BinaryCall(
              (left, right) -> Truth.of(test.test(order.compare(left, right))),
              operands.get(0),
              operands.get(1));
        });
  }
}
