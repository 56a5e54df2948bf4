package dev.orrery.language.query;

import dev.orrery.language.expression.ArrayExpressions;
import dev.orrery.language.expression.BooleanExpressions;
import dev.orrery.language.expression.ComparisonExpressions;
import dev.orrery.language.expression.Constant;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.PathExpression;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/*
 * An expression takes a path's value as it is, a filter looks into arrays and takes missing for
 * null. So the filter says less, and the expression must still be asked:
 *
 *   {$eq: ["$a", 5]}          -> {a: 5}            {a: [5]} matches the filter alone
 *   {$eq: ["$a", null]}       -> {a: null}         so does {}; a missing constant gives the same
 *   {$in: ["$a", [5, 6]]}     -> {a: {$in: [5, 6]}}
 *   {$gt: ["$a", 5]}          -> {a: above 5 in the order of all values}
 *   {$and: [..]}, {$or: [..]} -> the same of what is known of each
 *
 * Nothing is said of a comparison with an array or undefined: an array on the path makes one of
 * several values, which no single value of a filter equals.
 */

/** What a filter can say of the documents that an expression is true of. */
final class ImpliedFilter {
  private final BsonOrder order;

  private ImpliedFilter(BsonOrder order) {
    this.order = order;
  }

  /** A filter that holds of every document for which the expression is true. */
  static Filter of(Expression expression, BsonOrder order) {
    return new ImpliedFilter(order).of(expression);
  }

  private Filter of(Expression expression) {
    Allowance.current().step();
    if (expression instanceof BooleanExpressions.Chain chain) {
      return chain.decisive() ? any(chain.operands()) : all(chain.operands());
    }
    if (expression instanceof ComparisonExpressions.Call call) {
      return call.left() instanceof Constant constant
          ? compared(call.right(), call.relation().turned(), constant.value())
          : call.right() instanceof Constant constant
              ? compared(call.left(), call.relation(), constant.value())
              : Filter.ALL;
    }
    return expression instanceof ArrayExpressions.ConstantIn in ? member(in) : Filter.ALL;
  }

  private Filter all(List<Expression> operands) {
    var known = new ArrayList<Filter>();
    for (Expression operand : operands) {
      Filter one = of(operand);
      if (one instanceof Filter.And and) { // also what nothing is known of
        known.addAll(and.children());
      } else {
        known.add(one);
      }
    }
    return known.size() == 1 ? known.get(0) : new Filter.And(known);
  }

  private Filter any(List<Expression> operands) {
    var known = new ArrayList<Filter>(operands.size());
    for (Expression operand : operands) {
      Filter one = of(operand);
      if (one.equals(Filter.ALL)) {
        return Filter.ALL;
      }
      known.add(one);
    }
    return known.size() == 1 ? known.get(0) : new Filter.Or(known);
  }

  private Filter compared(
      Expression path, ComparisonExpressions.Relation relation, @Nullable BsonValue value) {
    FieldPath field = field(path);
    if (field == null) {
      return Filter.ALL;
    }
    return switch (relation) {
      case EQUAL -> isPlain(value) ? equal(field, List.of(operand(value))) : Filter.ALL;
      case GREATER -> ordered(field, Comparison.Operator.GREATER, value);
      case GREATER_OR_EQUAL -> ordered(field, Comparison.Operator.GREATER_OR_EQUAL, value);
      case LESS -> ordered(field, Comparison.Operator.LESS, value);
      case LESS_OR_EQUAL -> ordered(field, Comparison.Operator.LESS_OR_EQUAL, value);
      case NOT_EQUAL -> Filter.ALL;
    };
  }

  private Filter ordered(FieldPath path, Comparison.Operator operator, @Nullable BsonValue value) {
    return value == null || !isPlain(value)
        ? Filter.ALL
        : new Filter.Field(path, new OrderedComparison(operator, operand(value), order));
  }

  private Filter member(ArrayExpressions.ConstantIn in) {
    FieldPath path = field(in.value());
    if (path == null || !in.members().stream().allMatch(ImpliedFilter::isPlain)) {
      return Filter.ALL;
    }
    return equal(path, in.members().stream().map(ImpliedFilter::operand).toList());
  }

  private Filter equal(FieldPath path, List<RawValue> operands) {
    if (operands.isEmpty()) {
      return Filter.NOTHING;
    }
    ValuePredicate predicate =
        operands.size() == 1
            ? new Comparison(Comparison.Operator.EQUAL, operands.get(0), order)
            : new In(operands, List.of(), order);
    return new Filter.Field(path, predicate);
  }

  private static @Nullable FieldPath field(Expression expression) {
    String path = expression instanceof PathExpression field ? field.rootPath() : null;
    return path == null ? null : FieldPath.parse(path);
  }

  private static boolean isPlain(@Nullable BsonValue value) {
    return value == null || !(value.isArray() || value.getBsonType() == BsonType.UNDEFINED);
  }

  private static RawValue operand(@Nullable BsonValue value) {
    return RawValue.of(value == null ? BsonNull.VALUE : value);
  }
}
