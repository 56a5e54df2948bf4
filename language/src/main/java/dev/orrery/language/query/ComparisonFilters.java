package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code $eq $gt $gte $in $lt $lte $ne $nin}: comparison with given values. */
final class ComparisonFilters {
  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(
          entry("$eq", call -> equal(call.path(), call.argument(), order(call))),
          entry("$gt", call -> range(call, Comparison.Operator.GREATER)),
          entry("$gte", call -> range(call, Comparison.Operator.GREATER_OR_EQUAL)),
          entry("$in", ComparisonFilters::parseIn),
          entry("$lt", call -> range(call, Comparison.Operator.LESS)),
          entry("$lte", call -> range(call, Comparison.Operator.LESS_OR_EQUAL)),
          entry("$ne", ComparisonFilters::parseNotEqual),
          entry("$nin", call -> new Filter.Not(parseIn(call))));

  /** The fields of a DBRef, which may be asked for by name inside {@code $elemMatch}. */
  static final Map<String, TopLevelOperator> TOP_LEVEL =
      Map.ofEntries(
          entry("$db", (name, argument, scope) -> reference(name, argument)),
          entry(
              "$id",
              (name, argument, scope) ->
                  equal(FieldPath.parse(name), argument, scope.context().order())),
          entry("$ref", (name, argument, scope) -> reference(name, argument)));

  private ComparisonFilters() {}

  private static Filter reference(String name, RawValue argument) {
    return equal(FieldPath.parse(name), argument, WatchedOrder.CANONICAL);
  }

  static Filter equal(FieldPath path, RawValue operand, BsonOrder order) {
    refuseUndefined(operand);
    return new Filter.Field(path, new Comparison(Comparison.Operator.EQUAL, operand, order));
  }

  private static Filter range(OperatorCall call, Comparison.Operator operator) {
    refuseUndefined(call.argument());
    if (call.argument().type() == RawTypes.REGEX) {
      throw badValue("Can't have RegEx as arg to predicate over field '" + call.path() + "'.");
    }
    return call.filter(new Comparison(operator, call.argument(), order(call)));
  }

  private static Filter parseNotEqual(OperatorCall call) {
    if (call.argument().type() == RawTypes.REGEX) {
      throw badValue("Can't have regex as arg to $ne.");
    }
    return new Filter.Not(equal(call.path(), call.argument(), order(call)));
  }

  private static Filter parseIn(OperatorCall call) {
    if (!call.argument().isArray()) {
      throw badValue(call.name() + " needs an array");
    }
    var operands = new ArrayList<RawValue>();
    var regexes = new ArrayList<Regex>();
    Allowance allowance = Allowance.current();
    for (var element : call.argument().asDocument().toValues()) {
      allowance.step();
      if (FilterParser.isOperatorDocument(element)) {
        throw badValue("cannot nest $ under $in");
      }
      if (element.type() == RawTypes.REGEX) {
        regexes.add(Regex.of(element));
      } else {
        operands.add(element);
      }
    }
    if (operands.stream().anyMatch(operand -> operand.type() == RawTypes.UNDEFINED)) {
      throw badValue("InMatchExpression equality cannot be undefined");
    }
    return in(call, operands, regexes);
  }

  /** A single operand is an equality: MongoDB plans it, and takes it into upserts, as one. */
  private static Filter in(OperatorCall call, List<RawValue> operands, List<Regex> regexes) {
    var in = new In(operands, regexes, order(call));
    if (in.operands().isEmpty() && regexes.isEmpty()) {
      return Filter.NOTHING;
    }
    if (regexes.isEmpty() && in.operands().size() == 1) {
      return equal(call.path(), in.operands().get(0), order(call));
    }
    return call.filter(in.operands().isEmpty() && regexes.size() == 1 ? regexes.get(0) : in);
  }

  private static void refuseUndefined(RawValue operand) {
    if (operand.type() == RawTypes.UNDEFINED) {
      throw badValue("cannot compare to undefined");
    }
  }

  private static BsonOrder order(OperatorCall call) {
    return call.scope().context().order();
  }
}
