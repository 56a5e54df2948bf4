package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $firstN $lastN $maxN $minN $sortArray}: elements of an array by place or order. */
final class ArraySortExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$firstN", ArraySortExpressions::parseSome),
          entry("$lastN", ArraySortExpressions::parseSome),
          entry("$maxN", ArraySortExpressions::parseSome),
          entry("$minN", ArraySortExpressions::parseSome),
          entry("$sortArray", ArraySortExpressions::parseSort));

  private static final NamedArguments.Shape SORT =
      new NamedArguments.Shape(
          List.of("input", "sortBy"),
          ErrorCode.LOCATION_2942500,
          "%s requires an object as an argument, found: %s",
          ErrorCode.LOCATION_2942501,
          "%s found an unknown argument: %s");

  private ArraySortExpressions() {}

  private static Expression parseSome(String name, BsonValue argument, ParseContext context) {
    if (!argument.isDocument()) {
      ErrorCode code =
          name.endsWith("stN") ? ErrorCode.LOCATION_5787801 : ErrorCode.LOCATION_5787900;
      throw new CommandException(
          code, "specification must be an object; found " + BsonText.element(name, argument));
    }
    BsonDocument arguments = argument.asDocument();
    for (String field : arguments.keySet()) {
      if (!field.equals("n") && !field.equals("input")) {
        throw new CommandException(
            ErrorCode.LOCATION_5787901, "Unknown argument for 'n' operator: " + field);
      }
    }
    if (!arguments.containsKey("n")) {
      throw new CommandException(ErrorCode.LOCATION_5787906, "Missing value for 'n'");
    }
    if (!arguments.containsKey("input")) {
      throw new CommandException(ErrorCode.LOCATION_5787907, "Missing value for 'input'");
    }
    Comparator<BsonValue> order = context.order();
    return new BinaryCall(
        (n, input) -> some(name, order, n, input),
        Expressions.parse(arguments.get("n"), context),
        Expressions.parse(arguments.get("input"), context));
  }

  private static BsonValue some(
      String name, Comparator<BsonValue> order, @Nullable BsonValue n, @Nullable BsonValue input) {
    long wanted = Numbers.requireElementCount(n);
    if (input == null || !input.isArray()) {
      throw new CommandException(ErrorCode.LOCATION_5788200, "Input must be an array");
    }
    List<BsonValue> elements = input.asArray();
    int count = (int) Math.min(wanted, elements.size());
    return switch (name) {
      case "$firstN" -> new BsonArray(elements.subList(0, count));
      case "$lastN" -> new BsonArray(elements.subList(elements.size() - count, elements.size()));
      case "$maxN" -> smallest(order.reversed(), elements, wanted);
      default -> smallest(order, elements, wanted);
    };
  }

  private static BsonArray smallest(
      Comparator<BsonValue> order, List<BsonValue> elements, long wanted) {
    var sorted = new ArrayList<BsonValue>(elements.size());
    for (BsonValue element : elements) {
      if (!Truth.isNullish(element)) {
        sorted.add(element);
      }
    }
    sorted.sort(Allowance.current().watch(order));
    return new BsonArray(sorted.subList(0, (int) Math.min(wanted, sorted.size())));
  }

  private static Expression parseSort(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, SORT);
    Expression input =
        named.required("input", ErrorCode.LOCATION_2942502, "%s requires 'input' to be specified");
    named.requirePresent(
        "sortBy", ErrorCode.LOCATION_2942503, "%s requires 'sortBy' to be specified");
    return new Sort(requireOrder(named.raw("sortBy"), context.order()), input);
  }

  private static Comparator<BsonValue> requireOrder(BsonValue sortBy, Comparator<BsonValue> order) {
    if (sortBy.isDocument()) {
      return byFields(sortBy.asDocument(), order);
    }
    if (!Numbers.isNumber(sortBy)) {
      throw new CommandException(
          ErrorCode.LOCATION_2942507,
          "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort "
              + "embedded fields");
    }
    double direction = Numbers.toDouble(sortBy);
    if (Math.abs(direction) != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_2942506, "The $sort element value must be either 1 or -1");
    }
    return direction > 0 ? order : order.reversed();
  }

  private static Comparator<BsonValue> byFields(BsonDocument pattern, Comparator<BsonValue> order) {
    if (pattern.isEmpty()) {
      throw invalid("The sort pattern is empty when it should be a set of fields.");
    }
    Comparator<BsonValue> all = null;
    for (Map.Entry<String, BsonValue> field : pattern.entrySet()) {
      double direction =
          Numbers.isNumber(field.getValue()) ? Numbers.toDouble(field.getValue()) : 0;
      if (Math.abs(direction) != 1) {
        throw invalid("The sort element value must be either 1 or -1");
      }
      String path = field.getKey();
      if (path.isEmpty()) {
        throw invalid("The sort field cannot be empty");
      }
      String[] parts = path.split("\\.", -1);
      for (String part : parts) {
        if (part.isEmpty()) {
          throw invalid("The sort field is a dotted field but has an empty part: " + path);
        }
      }
      Comparator<BsonValue> one = Comparator.comparing(element -> key(element, parts), order);
      Comparator<BsonValue> directed = direction > 0 ? one : one.reversed();
      all = all == null ? directed : all.thenComparing(directed);
    }
    return all;
  }

  private static CommandException invalid(String message) {
    return new CommandException(ErrorCode.LOCATION_2942505, "BadValue: " + message);
  }

  /** The value at a path, where a number is an index of an array; null if there is none. */
  private static BsonValue key(BsonValue element, String[] path) {
    BsonValue value = element;
    for (String part : path) {
      if (value instanceof BsonDocument document) {
        value = document.get(part);
      } else if (value instanceof BsonArray array && part.matches("[0-9]{1,9}")) {
        int index = Integer.parseInt(part);
        value = index < array.size() ? array.get(index) : null;
      } else {
        value = null;
      }
    }
    return value == null ? BsonNull.VALUE : value;
  }

  /** Not computed ahead, even of a constant. */
  private record Sort(Comparator<BsonValue> order, Expression input) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      BsonValue value = input.evaluate(scope);
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (!value.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_2942504,
            "The input argument to $sortArray must be an array, but was of type: "
                + typeName(value));
      }
      var sorted = new BsonArray(value.asArray());
      sorted.sort(Allowance.current().watch(order));
      return sorted;
    }

    @Override
    public List<Expression> operands() {
      return List.of(input);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Sort(order, others.get(0));
    }
  }
}
