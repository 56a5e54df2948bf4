package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Arrays as sets: no order, and values that compare equal count once. */
final class SetExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$allElementsTrue", Arguments.unary(SetExpressions::allElementsTrue)),
          entry("$anyElementTrue", Arguments.unary(SetExpressions::anyElementTrue)),
          entry("$setDifference", SetExpressions::parseDifference),
          entry("$setEquals", SetExpressions::parseEquals),
          entry(
              "$setIntersection",
              (name, argument, context) ->
                  new FunctionCall(
                      values -> intersection(context.order(), values),
                      FunctionCall.Grouping.ALL,
                      Arguments.list(argument, context))),
          entry("$setIsSubset", SetExpressions::parseIsSubset),
          entry(
              "$setUnion",
              (name, argument, context) ->
                  new FunctionCall(
                      values -> union(context.order(), values),
                      FunctionCall.Grouping.ALL,
                      Arguments.list(argument, context))));

  private SetExpressions() {}

  private static BsonValue allElementsTrue(@Nullable BsonValue array) {
    return Truth.of(
        elements("$allElementsTrue", ErrorCode.LOCATION_17040, array).stream()
            .allMatch(Truth::isTrue));
  }

  private static BsonValue anyElementTrue(@Nullable BsonValue array) {
    return Truth.of(
        elements("$anyElementTrue", ErrorCode.LOCATION_17041, array).stream()
            .anyMatch(Truth::isTrue));
  }

  private static List<BsonValue> elements(String name, ErrorCode code, @Nullable BsonValue array) {
    if (array == null || !array.isArray()) {
      throw new CommandException(
          code, name + "'s argument must be an array, but is " + typeName(array));
    }
    return array.asArray();
  }

  private static void addAll(TreeSet<BsonValue> set, BsonValue array) {
    Allowance allowance = Allowance.current();
    for (BsonValue element : array.asArray()) {
      allowance.step();
      set.add(element);
    }
  }

  static TreeSet<BsonValue> set(Comparator<BsonValue> order, BsonValue array) {
    var set = new TreeSet<>(order);
    addAll(set, array);
    return set;
  }

  private static Expression parseDifference(String name, BsonValue argument, ParseContext context) {
    List<Expression> operands = Arguments.exactly(2, name, argument, context);
    Comparator<BsonValue> order = context.order();
    return new BinaryCall(
        (left, right) -> difference(order, left, right), operands.get(0), operands.get(1));
  }

  private static BsonValue difference(
      Comparator<BsonValue> order, @Nullable BsonValue left, @Nullable BsonValue right) {
    if (Truth.isNullish(left) || Truth.isNullish(right)) {
      return BsonNull.VALUE;
    }
    requireOperand("$setDifference", "First", ErrorCode.LOCATION_17048, left);
    requireOperand("$setDifference", "Second", ErrorCode.LOCATION_17049, right);
    TreeSet<BsonValue> seen = set(order, right);
    var kept = new BsonArray();
    for (BsonValue element : left.asArray()) {
      if (seen.add(element)) {
        kept.add(element);
      }
    }
    return kept;
  }

  private static void requireOperand(
      String name, String which, ErrorCode code, @Nullable BsonValue value) {
    if (value == null || !value.isArray()) {
      throw new CommandException(
          code,
          String.format(
              "both operands of %s must be arrays. %s argument is of type: %s",
              name, which, typeName(value)));
    }
  }

  private static Expression parseEquals(String name, BsonValue argument, ParseContext context) {
    List<Expression> operands = Arguments.list(argument, context);
    if (operands.size() < 2) {
      throw new CommandException(
          ErrorCode.LOCATION_17045,
          "$setEquals needs at least two arguments had: " + operands.size());
    }
    return new SetEquals(context.order(), operands);
  }

  private static Expression parseIsSubset(String name, BsonValue argument, ParseContext context) {
    return new SetIsSubset(context.order(), Arguments.exactly(2, name, argument, context));
  }

  private static BsonValue union(Comparator<BsonValue> order, @Nullable BsonValue[] values) {
    var all = new TreeSet<>(order);
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (!value.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_17043,
            "All operands of $setUnion must be arrays. One argument is of type: "
                + typeName(value));
      }
      addAll(all, value);
    }
    return new BsonArray(new ArrayList<>(all));
  }

  private static BsonValue intersection(Comparator<BsonValue> order, @Nullable BsonValue[] values) {
    TreeSet<BsonValue> common = null;
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (!value.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_17047,
            "All operands of $setIntersection must be arrays. One argument is of type: "
                + typeName(value));
      }
      TreeSet<BsonValue> next = set(order, value);
      if (common == null) {
        common = next;
      } else {
        common.removeIf(element -> !next.contains(element));
      }
    }
    return common == null ? new BsonArray() : new BsonArray(new ArrayList<>(common));
  }

  /** Constant operands are checked, all of them, before any document is read. */
  private record SetEquals(Comparator<BsonValue> order, List<Expression> operands)
      implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      TreeSet<BsonValue> first = null;
      for (int i = 0; i < operands.size(); i++) {
        BsonValue value = operands.get(i).evaluate(scope);
        requireArray(i, value, ErrorCode.LOCATION_17044);
        TreeSet<BsonValue> next = set(order, value);
        if (first == null) {
          first = next;
        } else if (first.size() != next.size() || !first.containsAll(next)) {
          return Truth.of(false);
        }
      }
      return Truth.of(true);
    }

    private static void requireArray(int index, @Nullable BsonValue value, ErrorCode code) {
      if (value == null || !value.isArray()) {
        throw new CommandException(
            code,
            String.format(
                "All operands of $setEquals must be arrays. %d-th argument is of type: %s",
                index + 1, typeName(value)));
      }
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new SetEquals(order, List.copyOf(others));
    }

    @Override
    public Expression optimize() {
      List<Expression> optimized = operands.stream().map(Expression::optimize).toList();
      for (int i = 0; i < optimized.size(); i++) {
        if (optimized.get(i) instanceof Constant constant) {
          requireArray(i, constant.value(), ErrorCode.LOCATION_5887502);
        }
      }
      return withOperands(optimized);
    }
  }

  /** A constant right side is made a set once. */
  private record SetIsSubset(Comparator<BsonValue> order, List<Expression> operands)
      implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      BsonValue part = operands.get(0).evaluate(scope);
      BsonValue whole = operands.get(1).evaluate(scope);
      requireOperand("$setIsSubset", "First", ErrorCode.LOCATION_17046, part);
      requireOperand("$setIsSubset", "Second", ErrorCode.LOCATION_17042, whole);
      return Truth.of(set(order, whole).containsAll(part.asArray()));
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new SetIsSubset(order, List.copyOf(others));
    }

    @Override
    public boolean isFoldable() {
      return true;
    }

    @Override
    public Expression optimize() {
      Expression optimized = Expression.super.optimize();
      if (optimized instanceof SetIsSubset same && same.operands.get(1) instanceof Constant whole) {
        requireOperand("$setIsSubset", "Second", ErrorCode.LOCATION_17311, whole.value());
        if (!Folding.mayKeepSorted(whole.value().asArray().size())) {
          return optimized;
        }
        TreeSet<BsonValue> set = set(order, whole.value());
        return new UnaryCall(
            part -> {
              requireOperand("$setIsSubset", "First", ErrorCode.LOCATION_17310, part);
              return Truth.of(set.containsAll(part.asArray()));
            },
            same.operands.get(0));
      }
      return optimized;
    }
  }
}
