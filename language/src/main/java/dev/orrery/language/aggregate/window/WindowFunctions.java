package dev.orrery.language.aggregate.window;

import static java.util.Map.entry;

import dev.orrery.language.aggregate.accumulator.Accumulation;
import dev.orrery.language.aggregate.accumulator.Accumulators;
import dev.orrery.language.aggregate.accumulator.Covariance;
import dev.orrery.language.aggregate.accumulator.SimpleAccumulators;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.SortKey;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Constant;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.number.Numbers;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Every function of $setWindowFields by its name, with the form of its argument. */
public final class WindowFunctions {
  /** One output of $setWindowFields: {@code {$name: argument, window: ...}}. */
  private record Call(
      String name, BsonDocument specification, @Nullable SortKey sortBy, PipelineContext context) {
    BsonValue argument() {
      return specification.get(name);
    }

    Expression expression(BsonValue value) {
      return Expressions.parse(value, context.expressions());
    }

    /** The window; all documents without one. */
    WindowBounds bounds() {
      requireNothingElse(Set.of(name, "window"));
      BsonValue window = specification.get("window");
      return window == null ? WindowBounds.ALL : WindowBounds.parse(window, sortBy, context);
    }

    void requireNothingElse(Set<String> known) {
      for (String field : specification.keySet()) {
        if (known.contains(field)) {
          continue;
        }
        throw StageFailures.failedToParse(
            isFunction(field)
                ? "Cannot specify two functions in window function spec"
                : "Window function found an unknown argument: " + field);
      }
    }

    boolean hasSingleSort() {
      return sortBy != null && sortBy.pattern().parts().size() == 1;
    }
  }

  /** Reads one output. */
  private interface Parser {
    WindowFunction parse(Call call);
  }

  private static final Map<String, Parser> TABLE =
      Map.ofEntries( // sorted by name
          entry("$covariancePop", call -> parseCovariance(call, 0)),
          entry("$covarianceSamp", call -> parseCovariance(call, 1)),
          entry("$denseRank", call -> parseRank(call, RankFunction.Kind.DENSE_RANK)),
          entry("$derivative", call -> parseSlope(call, false)),
          entry("$documentNumber", call -> parseRank(call, RankFunction.Kind.DOCUMENT_NUMBER)),
          entry("$expMovingAvg", WindowFunctions::parseMovingAverage),
          entry("$integral", call -> parseSlope(call, true)),
          entry("$linearFill", WindowFunctions::parseLinearFill),
          entry("$locf", call -> parseFill(call, false)),
          entry("$rank", call -> parseRank(call, RankFunction.Kind.RANK)),
          entry("$shift", WindowFunctions::parseShift));

  /** Accumulators that take one operand, which may be an array here. */
  private static final Set<String> UNARY =
      Set.of(
          "$addToSet",
          "$avg",
          "$first",
          "$last",
          "$max",
          "$min",
          "$push",
          "$stdDevPop",
          "$stdDevSamp",
          "$sum");

  private static final Set<String> NOT_IN_WINDOWS = Set.of("$accumulator", "$mergeObjects");

  private WindowFunctions() {}

  /** The functions that are no accumulators. */
  public static Set<String> names() {
    return TABLE.keySet();
  }

  static boolean isFunction(String name) {
    return TABLE.containsKey(name)
        || (Accumulators.isKnown(name) && !NOT_IN_WINDOWS.contains(name));
  }

  static WindowFunction parse(
      String field, BsonValue value, @Nullable SortKey sortBy, PipelineContext context) {
    if (!value.isDocument()) {
      throw StageFailures.failedToParse("The field '" + field + "' must be an object");
    }
    BsonDocument specification = value.asDocument();
    for (String name : specification.keySet()) {
      if (!name.startsWith("$")) {
        continue;
      }
      if (!isFunction(name)) {
        throw StageFailures.failedToParse("Unrecognized window function, " + name);
      }
      var call = new Call(name, specification, sortBy, context);
      Parser parser = TABLE.get(name);
      return parser == null ? parseAccumulation(call) : parser.parse(call);
    }
    String first = specification.isEmpty() ? "" : ", " + specification.getFirstKey();
    throw StageFailures.failedToParse("Expected a $-prefixed window function" + first);
  }

  private static WindowFunction parseAccumulation(Call call) {
    BsonValue argument = call.argument();
    if (UNARY.contains(call.name) && argument.isArray()) {
      argument = new BsonArray(List.of(argument)); // an array is a value of its own here
    }
    Accumulation accumulation = Accumulators.parse(call.name, argument, call.context);
    WindowBounds bounds = call.bounds();
    if (call.name.equals("$stdDevPop") && bounds.lower() != null) {
      accumulation =
          Accumulation.of(accumulation.input(), n -> new SimpleAccumulators.Deviation(0, true));
    }
    return new WindowAccumulation(accumulation, bounds);
  }

  private static WindowFunction parseCovariance(Call call, int lost) {
    var accumulation = Accumulation.of(call.expression(call.argument()), n -> new Covariance(lost));
    return new WindowAccumulation(accumulation, call.bounds());
  }

  private static WindowFunction parseRank(Call call, RankFunction.Kind kind) {
    if (call.specification.size() != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_5371601, "Rank style window functions take no other arguments");
    }
    if (!call.argument().isDocument() || !call.argument().asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_5371603, call.name + " must be specified with '{}' as the value");
    }
    if (!call.hasSingleSort()) {
      throw new CommandException(
          ErrorCode.LOCATION_5371602,
          call.name
              + " must be specified with a top level sortBy expression with exactly one element");
    }
    return new RankFunction(kind, call.context.order());
  }

  private static WindowFunction parseFill(Call call, boolean isLinear) {
    call.requireNothingElse(Set.of(call.name, "window"));
    Expression input = call.expression(call.argument());
    if (call.specification.containsKey("window")) {
      throw StageFailures.failedToParse("'window' field is not allowed in " + call.name);
    }
    return new FillFunction(input, isLinear);
  }

  private static WindowFunction parseLinearFill(Call call) {
    WindowFunction function = parseFill(call, true);
    if (!call.hasSingleSort()) {
      throw new CommandException(
          ErrorCode.LOCATION_605001,
          "$linearFill must be specified with a top level sortBy expression with exactly one"
              + " element");
    }
    return function;
  }

  private static WindowFunction parseShift(Call call) {
    if (call.specification.containsKey("window")) {
      throw StageFailures.failedToParse("$shift does not accept a 'window' field");
    }
    if (!call.argument().isDocument()) {
      throw StageFailures.failedToParse("Argument to $shift must be an object");
    }
    Expression output = null;
    Long by = null;
    BsonValue fallback = BsonNull.VALUE;
    for (var argument : call.argument().asDocument().entrySet()) {
      BsonValue value = argument.getValue();
      switch (argument.getKey()) {
        case "output" -> output = call.expression(value);
        case "by" -> by = parseBy(value);
        case "default" -> fallback = parseDefault(call.expression(value).optimize());
        default -> throw StageFailures.failedToParse("Unknown argument in $shift");
      }
    }
    if (output == null) {
      throw StageFailures.failedToParse("$shift requires an 'output' expression.");
    }
    if (by == null) {
      throw StageFailures.failedToParse("$shift requires 'by' as an integer value.");
    }
    call.requireNothingElse(Set.of("$shift"));
    if (call.sortBy == null) {
      throw StageFailures.failedToParse("'$shift' requires a sortBy");
    }
    return new ShiftFunction(output, by, fallback);
  }

  private static long parseBy(BsonValue value) {
    if (!Numbers.isInt(value)) {
      throw StageFailures.failedToParse(
          "'$shift:by' field must be an integer, but found  " + BsonText.element("by", value));
    }
    return Numbers.toLong(value);
  }

  private static BsonValue parseDefault(Expression expression) {
    if (!(expression instanceof Constant constant)) {
      throw StageFailures.failedToParse("'$shift:default' expression must yield a constant value.");
    }
    return constant.value() == null ? BsonNull.VALUE : constant.value();
  }

  private static WindowFunction parseSlope(Call call, boolean isIntegral) {
    if (!call.hasSingleSort()) {
      throw StageFailures.failedToParse(
          call.name
              + (call.sortBy == null ? " requires a sortBy" : " requires a non-compound sortBy"));
    }
    for (String field : call.specification.keySet()) {
      if (!field.equals(call.name) && !field.equals("window")) {
        throw StageFailures.failedToParse(call.name + " got unexpected argument: " + field);
      }
    }
    if (!call.argument().isDocument()) {
      throw StageFailures.failedToParse(
          call.name
              + " expects an object, but got a "
              + BsonText.typeName(call.argument())
              + ": "
              + BsonText.element(call.name, call.argument()));
    }
    Expression input = null;
    String unit = "";
    for (var argument : call.argument().asDocument().entrySet()) {
      switch (argument.getKey()) {
        case "input" -> input = call.expression(argument.getValue());
        case "unit" -> unit = parseUnit(argument.getValue());
        default ->
            throw StageFailures.failedToParse(
                call.name + " got unexpected argument: " + argument.getKey());
      }
    }
    if (input == null) {
      throw StageFailures.failedToParse(call.name + " requires an 'input' expression");
    }
    if (!isIntegral && !call.specification.containsKey("window")) {
      throw StageFailures.failedToParse("$derivative requires explicit window bounds");
    }
    return new SlopeFunction(input, unit, call.bounds(), isIntegral);
  }

  private static String parseUnit(BsonValue value) {
    if (!value.isString()) {
      throw StageFailures.failedToParse(
          "unit' must be a string, but got " + BsonText.typeName(value));
    }
    String unit = value.asString().getValue();
    WindowBounds.TimeUnits.require(unit);
    if (WindowBounds.TimeUnits.isLongerThanWeek(unit)) {
      throw new CommandException(ErrorCode.LOCATION_5490710, "unit must be 'week' or smaller");
    }
    return unit;
  }

  private static WindowFunction parseMovingAverage(Call call) {
    if (call.specification.size() != 1 || !call.argument().isDocument()) {
      throw StageFailures.failedToParse(
          "$expMovingAvg must have exactly one argument that is an object");
    }
    BsonDocument arguments = call.argument().asDocument();
    if (arguments.size() != 2 || !arguments.containsKey("input")) {
      throw StageFailures.failedToParse(
          "$expMovingAvg sub object must have exactly two fields: An 'input' field, and either an"
              + " 'N' field or an 'alpha' field");
    }
    if (call.sortBy == null) {
      throw StageFailures.failedToParse("$expMovingAvg requires an explicit 'sortBy'");
    }
    Expression input = call.expression(arguments.get("input"));
    if (arguments.containsKey("N")) {
      return new MovingAverageFunction(input, weight(arguments.get("N")));
    }
    if (arguments.containsKey("alpha")) {
      return new MovingAverageFunction(input, alpha(arguments.get("alpha")));
    }
    throw StageFailures.failedToParse(
        "Got unrecognized field in $expMovingAvg$expMovingAvg sub object must have exactly two"
            + " fields: An 'input' field, and either an 'N' field or an 'alpha' field");
  }

  /** Of N documents: 2 / (N + 1). */
  private static BigDecimal weight(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw StageFailures.failedToParse(
          "'N' field must be an integer, but found type " + BsonText.typeName(value));
    }
    if (!Numbers.isLong(value)) {
      throw StageFailures.failedToParse(
          "'N' field must be an integer, but found  "
              + BsonText.element("N", value)
              + ". To use a non-integer, use the 'alpha' argument instead");
    }
    long count = Numbers.toLong(value);
    if (count <= 0) {
      throw StageFailures.failedToParse("'N' must be greater than zero. Got " + count);
    }
    return BigDecimal.valueOf(2)
        .divide(BigDecimal.valueOf(count).add(BigDecimal.ONE), MathContext.DECIMAL128);
  }

  private static BigDecimal alpha(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw StageFailures.failedToParse("'alpha' must be a number");
    }
    double alpha = Numbers.toDouble(value);
    if (!(alpha > 0 && alpha < 1)) {
      throw StageFailures.failedToParse(
          "'alpha' must be between 0 and 1 (exclusive), found " + BsonText.element("alpha", value));
    }
    return Numbers.toDecimal(value).bigDecimalValue();
  }
}
