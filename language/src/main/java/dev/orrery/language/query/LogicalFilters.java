package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code $and $nor $not $or}: filters made of filters. */
final class LogicalFilters {
  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(entry("$not", LogicalFilters::parseNot));

  static final Map<String, TopLevelOperator> TOP_LEVEL =
      Map.ofEntries(
          entry(
              "$and",
              (name, argument, scope) -> FilterParser.all(parseClauses(name, argument, scope))),
          entry(
              "$nor",
              (name, argument, scope) -> new Filter.Nor(parseClauses(name, argument, scope))),
          entry("$or", LogicalFilters::parseOr));

  private LogicalFilters() {}

  private static Filter parseOr(String name, RawValue argument, OperatorCall.Scope scope) {
    var clauses = parseClauses(name, argument, scope);
    if (clauses.size() == 1) {
      return clauses.get(0);
    }
    var in = asIn(clauses);
    if (in != null) {
      return in;
    }
    var sorted = new ArrayList<>(clauses);
    sorted.sort(FilterOrder.of(sorted.size()));
    return new Filter.Or(sorted);
  }

  /** Equalities with one path are an {@code $in}, as MongoDB rewrites them; null if they differ. */
  private static @Nullable Filter asIn(List<Filter> clauses) {
    FieldPath path = null;
    BsonOrder order = null;
    var operands = new ArrayList<RawValue>();
    for (var clause : clauses) {
      if (!(clause instanceof Filter.Field field)
          || !(field.predicate() instanceof Comparison comparison)
          || comparison.operator() != Comparison.Operator.EQUAL
          || comparison.operand().type() == RawTypes.REGEX
          || (path != null && !path.equals(field.path()))
          || (order != null && order != comparison.order())) {
        return null;
      }
      path = field.path();
      order = comparison.order();
      operands.add(comparison.operand());
    }
    return new Filter.Field(path, new In(operands, List.of(), order));
  }

  private static List<Filter> parseClauses(
      String name, RawValue argument, OperatorCall.Scope scope) {
    if (!argument.isArray()) {
      throw badValue(name + " must be an array");
    }
    var clauses = argument.asDocument().toValues();
    if (clauses.isEmpty()) {
      throw badValue("$and/$or/$nor must be a nonempty array");
    }
    var filters = new ArrayList<Filter>(clauses.size());
    Allowance allowance = Allowance.current();
    for (var clause : clauses) {
      allowance.step();
      if (!clause.isDocument()) {
        throw badValue("$or/$and/$nor entries need to be full objects");
      }
      filters.add(FilterParser.parseDocument(clause.asDocument(), scope));
    }
    return filters;
  }

  private static Filter parseNot(OperatorCall call) {
    var argument = call.argument();
    if (argument.type() == RawTypes.REGEX) {
      return new Filter.Not(call.filter(Regex.of(argument)));
    }
    if (!argument.isDocument()) {
      throw badValue("$not needs a regex or a document");
    }
    if (argument.asDocument().isEmpty()) {
      throw badValue("$not cannot be empty");
    }
    var children = new ArrayList<Filter>();
    FilterParser.parseOperators(call.path(), argument.asDocument(), call.scope(), children);
    return new Filter.Not(FilterParser.all(children));
  }
}
