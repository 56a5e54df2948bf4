package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $filter $map $reduce $zip}: a computation for each element of an array. */
final class IterationExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$filter", IterationExpressions::parseFilter),
          entry("$map", IterationExpressions::parseMap),
          entry("$reduce", IterationExpressions::parseReduce),
          entry("$zip", IterationExpressions::parseZip));

  private static final NamedArguments.Shape FILTER =
      new NamedArguments.Shape(
          List.of("input", "as", "cond", "limit"),
          ErrorCode.LOCATION_28646,
          "%s only supports an object as its argument",
          ErrorCode.LOCATION_28647,
          "Unrecognized parameter to %s: %s");
  private static final NamedArguments.Shape MAP =
      new NamedArguments.Shape(
          List.of("input", "as", "in"),
          ErrorCode.LOCATION_16878,
          "%s only supports an object as its argument",
          ErrorCode.LOCATION_16879,
          "Unrecognized parameter to %s: %s");
  private static final NamedArguments.Shape REDUCE =
      new NamedArguments.Shape(
          List.of("input", "initialValue", "in"),
          ErrorCode.LOCATION_40075,
          "%s requires an object as an argument, found: %s",
          ErrorCode.LOCATION_40076,
          "%s found an unknown argument: %s");
  private static final NamedArguments.Shape ZIP =
      new NamedArguments.Shape(
          List.of("inputs", "defaults", "useLongestLength"),
          ErrorCode.LOCATION_34460,
          "%s only supports an object as an argument, found %s",
          ErrorCode.LOCATION_34464,
          "%s found an unknown argument: %s");

  private IterationExpressions() {}

  private static Expression parseFilter(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, FILTER);
    named.requirePresent("input", ErrorCode.LOCATION_28648, "Missing 'input' parameter to %s");
    named.requirePresent("cond", ErrorCode.LOCATION_28650, "Missing 'cond' parameter to %s");
    Expression input = named.optional("input");
    String variable = elementName(named);
    ParseContext inner = context.withVariable(variable);
    Expression condition = Expressions.parse(named.raw("cond"), inner);
    return new Filter(inner.slot(variable), List.of(input, condition, named.optional("limit")));
  }

  private static Expression parseMap(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, MAP);
    named.requirePresent("input", ErrorCode.LOCATION_16880, "Missing 'input' parameter to %s");
    named.requirePresent("in", ErrorCode.LOCATION_16882, "Missing 'in' parameter to %s");
    Expression input = named.optional("input");
    String variable = elementName(named);
    ParseContext inner = context.withVariable(variable);
    Expression each = Expressions.parse(named.raw("in"), inner);
    return new Mapping(inner.slot(variable), List.of(input, each));
  }

  /** The name after "as"; MongoDB takes what is no string for an empty one. */
  private static String elementName(NamedArguments named) {
    BsonValue as = named.raw("as");
    String name = "this";
    if (as != null) {
      name = as instanceof BsonString text ? text.getValue() : "";
    }
    VariableNames.requireWritable(name);
    return name;
  }

  private static Expression parseReduce(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, REDUCE);
    String text = "$reduce requires '%s' to be specified";
    Expression input =
        named.required("input", ErrorCode.LOCATION_40077, String.format(text, "input"));
    Expression initial =
        named.required(
            "initialValue", ErrorCode.LOCATION_40078, String.format(text, "initialValue"));
    named.requirePresent("in", ErrorCode.LOCATION_40079, String.format(text, "in"));
    ParseContext inner = context.withVariable("this").withVariable("value");
    Expression step = Expressions.parse(named.raw("in"), inner);
    return new Reduction(inner.slot("this"), inner.slot("value"), List.of(input, initial, step));
  }

  private static Expression parseZip(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, ZIP);
    List<Expression> inputs = parseList(named, "inputs", ErrorCode.LOCATION_34461, context);
    List<Expression> defaults = parseList(named, "defaults", ErrorCode.LOCATION_34462, context);
    BsonValue longest = named.raw("useLongestLength");
    if (longest != null && !longest.isBoolean()) {
      // MongoDB names the type of the whole argument here, which is always an object.
      throw new CommandException(
          ErrorCode.LOCATION_34463, "useLongestLength must be a bool, found object");
    }
    boolean isLongest = longest != null && longest.asBoolean().getValue();
    if (inputs.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_34465, "$zip requires at least one input array");
    }
    if (!isLongest && !defaults.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_34466, "cannot specify defaults unless useLongestLength is true");
    }
    if (!defaults.isEmpty() && defaults.size() != inputs.size()) {
      throw new CommandException(
          ErrorCode.LOCATION_34467, "defaults and inputs must have the same length");
    }
    var operands = new ArrayList<Expression>(inputs);
    operands.addAll(defaults);
    return new Zip(isLongest, inputs.size(), operands);
  }

  private static List<Expression> parseList(
      NamedArguments named, String field, ErrorCode code, ParseContext context) {
    BsonValue value = named.raw(field);
    if (value == null) {
      return List.of();
    }
    if (!value.isArray()) {
      throw new CommandException(
          code, field + " must be an array of expressions, found " + typeName(value));
    }
    return Expressions.parseAll(value.asArray(), context);
  }

  /** Operands: input, condition, limit. */
  private record Filter(int slot, List<Expression> operands) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      BsonValue input = operands.get(0).evaluate(scope);
      if (Truth.isNullish(input)) {
        return BsonNull.VALUE;
      }
      if (!input.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_28651, "input to $filter must be an array not " + typeName(input));
      }
      if (input.asArray().isEmpty()) {
        return input;
      }
      int limit = requireLimit(operands.get(2).evaluate(scope));
      Allowance allowance = scope.allowance();
      long held = ValueSize.hold(operands.get(0), input, allowance);
      try {
        return kept(scope, input.asArray(), limit);
      } finally {
        allowance.release(held);
      }
    }

    private BsonArray kept(Scope scope, BsonArray input, int limit) {
      var kept = new BsonArray();
      Allowance allowance = scope.allowance();
      for (BsonValue element : input) {
        allowance.step();
        scope.bind(slot, element);
        if (Truth.isTrue(operands.get(1).evaluate(scope))) {
          kept.add(element);
          if (kept.size() == limit) {
            break;
          }
        }
      }
      return kept;
    }

    private static int requireLimit(@Nullable BsonValue limit) {
      if (Truth.isNullish(limit)) {
        return Integer.MAX_VALUE;
      }
      if (!Numbers.isInt(limit)) {
        throw new CommandException(
            ErrorCode.LOCATION_327391,
            "$filter: limit must be represented as a 32-bit integral value: "
                + BsonText.aggregated(limit));
      }
      if (Numbers.toLong(limit) <= 0) {
        throw new CommandException(
            ErrorCode.LOCATION_327392,
            "$filter: limit must be greater than 0: " + BsonText.aggregated(limit));
      }
      return (int) Numbers.toLong(limit);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Filter(slot, List.copyOf(others));
    }
  }

  /** Operands: input, the value for each element. */
  private record Mapping(int slot, List<Expression> operands) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      BsonValue input = operands.get(0).evaluate(scope);
      if (Truth.isNullish(input)) {
        return BsonNull.VALUE;
      }
      if (!input.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_16883, "input to $map must be an array not " + typeName(input));
      }
      var mapped = new BsonArray(input.asArray().size());
      Allowance allowance = scope.allowance();
      long held = ValueSize.hold(operands.get(0), input, allowance);
      try (var growing = new ValueSize.Growing(allowance)) {
        for (BsonValue element : input.asArray()) {
          allowance.step();
          BsonValue computed = operands.get(1).evaluate(scope.bind(slot, element));
          BsonValue value = computed == null ? BsonNull.VALUE : computed;
          if (value != element) {
            growing.add(value);
          }
          mapped.add(value);
        }
      } finally {
        allowance.release(held);
      }
      return mapped;
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Mapping(slot, List.copyOf(others));
    }
  }

  /** Operands: input, initial value, the next value. */
  private record Reduction(int thisSlot, int valueSlot, List<Expression> operands)
      implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      BsonValue input = operands.get(0).evaluate(scope);
      if (Truth.isNullish(input)) {
        return BsonNull.VALUE;
      }
      if (!input.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_40080,
            "$reduce requires that 'input' be an array, found: " + BsonText.aggregated(input));
      }
      long held = ValueSize.hold(operands.get(0), input, scope.allowance());
      try {
        return reduced(scope, input.asArray());
      } finally {
        scope.allowance().release(held);
      }
    }

    private @Nullable BsonValue reduced(Scope scope, BsonArray input) {
      BsonValue value = operands.get(1).evaluate(scope);
      Expression next = operands.get(2);
      Allowance allowance = scope.allowance();
      long held = 0;
      try {
        for (BsonValue element : input) {
          allowance.step();
          scope.bind(thisSlot, element).bind(valueSlot, value);
          value = next.evaluate(scope);
          allowance.release(held);
          held = 0;
          held = ValueSize.hold(next, value, allowance);
        }
        return value;
      } finally {
        allowance.release(held);
      }
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Reduction(thisSlot, valueSlot, List.copyOf(others));
    }
  }

  /** Operands: the inputs, then as many defaults or none. */
  private record Zip(boolean isLongest, int inputs, List<Expression> operands)
      implements Expression {
    private static final int ROW_BYTES = 64;

    @Override
    public BsonValue evaluate(Scope scope) {
      var columns = new ArrayList<List<BsonValue>>(inputs);
      int shortest = Integer.MAX_VALUE;
      int longest = 0;
      for (int i = 0; i < inputs; i++) {
        BsonValue input = operands.get(i).evaluate(scope);
        if (Truth.isNullish(input)) {
          return BsonNull.VALUE;
        }
        if (!input.isArray()) {
          throw new CommandException(
              ErrorCode.LOCATION_34468,
              "$zip found a non-array expression in input: " + BsonText.aggregated(input));
        }
        columns.add(input.asArray());
        shortest = Math.min(shortest, input.asArray().size());
        longest = Math.max(longest, input.asArray().size());
      }
      return rows(scope, columns, isLongest ? longest : shortest);
    }

    private BsonArray rows(Scope scope, List<List<BsonValue>> columns, int count) {
      Allowance allowance = scope.allowance();
      long held = ValueSize.holdArray(count, ROW_BYTES + Long.BYTES * inputs, allowance);
      try {
        var rows = new BsonArray(count);
        for (int row = 0; row < count; row++) {
          allowance.steps(inputs);
          var cells = new BsonArray(inputs);
          for (int column = 0; column < inputs; column++) {
            List<BsonValue> values = columns.get(column);
            cells.add(row < values.size() ? values.get(row) : defaultOf(column, scope));
          }
          rows.add(cells);
        }
        return rows;
      } finally {
        allowance.release(held);
      }
    }

    private BsonValue defaultOf(int column, Scope scope) {
      if (operands.size() == inputs) {
        return BsonNull.VALUE;
      }
      BsonValue value = operands.get(inputs + column).evaluate(scope);
      return value == null ? BsonNull.VALUE : value;
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Zip(isLongest, inputs, List.copyOf(others));
    }
  }
}
