package dev.orrery.language.aggregate.accumulator;

import static java.util.Map.entry;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.SortKey;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Constant;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.Scope;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Every accumulator by its name, with the form of its argument. */
public final class Accumulators {
  /** Reads the argument of an accumulator. */
  interface Parser {
    public Accumulation parse(String name, BsonValue argument, PipelineContext context);
  }

  private static final Map<String, Parser> TABLE =
      Map.ofEntries( // sorted by name
          entry("$addToSet", Accumulators::parseAddToSet),
          unary("$avg", n -> new SimpleAccumulators.Average()),
          entry("$bottom", ranked(true, false)),
          entry("$bottomN", ranked(true, true)),
          entry("$count", Accumulators::parseCount),
          unary("$first", n -> new SimpleAccumulators.First()),
          entry("$firstN", counted(n -> new ListAccumulators.FirstN(n))),
          unary("$last", n -> new SimpleAccumulators.Last()),
          entry("$lastN", counted(n -> new ListAccumulators.LastN(n))),
          entry("$max", Accumulators::parseExtreme),
          entry("$maxN", Accumulators::parseExtremes),
          entry("$median", Accumulators::parsePercentile),
          unary("$mergeObjects", n -> new SimpleAccumulators.Merge()),
          entry("$min", Accumulators::parseExtreme),
          entry("$minN", Accumulators::parseExtremes),
          entry("$percentile", Accumulators::parsePercentile),
          unary("$push", n -> new ListAccumulators.Push()),
          unary("$stdDevPop", n -> new SimpleAccumulators.Deviation(0)),
          unary("$stdDevSamp", n -> new SimpleAccumulators.Deviation(1)),
          unary("$sum", n -> new SimpleAccumulators.Sum()),
          entry("$top", ranked(false, false)),
          entry("$topN", ranked(false, true)));

  /** Known to MongoDB, not to us. */
  private static final Set<String> LACKING = Set.of("$accumulator");

  private Accumulators() {}

  public static Set<String> names() {
    return TABLE.keySet();
  }

  public static boolean isKnown(String name) {
    return TABLE.containsKey(name) || LACKING.contains(name);
  }

  public static Accumulation parse(String name, BsonValue argument, PipelineContext context) {
    Parser parser = TABLE.get(name);
    if (parser != null) {
      return parser.parse(name, argument, context);
    }
    if (LACKING.contains(name)) {
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED, "group operator '" + name + "' is not implemented yet");
    }
    throw new CommandException(ErrorCode.LOCATION_15952, "unknown group operator '" + name + "'");
  }

  /** The accumulator of one field of a group: {@code {$sum: "$a"}}. */
  public static Accumulation parseField(String field, BsonValue value, PipelineContext context) {
    if (field.indexOf('.') >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_40235, "The field name '" + field + "' cannot contain '.'");
    }
    if (field.startsWith("$")) {
      throw new CommandException(
          ErrorCode.LOCATION_40236, "The field name '" + field + "' cannot be an operator name");
    }
    if (!value.isDocument() || value.asDocument().isEmpty()) {
      throw notAnAccumulator(field);
    }
    String name = value.asDocument().getFirstKey();
    if (!name.startsWith("$")) {
      throw notAnAccumulator(field);
    }
    if (value.asDocument().size() != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_40238, "The field '" + field + "' must specify one accumulator");
    }
    return parse(name, value.asDocument().get(name), context);
  }

  private static CommandException notAnAccumulator(String field) {
    return new CommandException(
        ErrorCode.LOCATION_40234, "The field '" + field + "' must be an accumulator object");
  }

  private static Map.Entry<String, Parser> unary(String name, IntFunction<Accumulator> factory) {
    return entry(
        name,
        (operator, argument, context) ->
            Accumulation.of(operand(operator, argument, context), factory));
  }

  /** The one operand of an accumulator; in an array of its own or not. */
  static Expression operand(String name, BsonValue argument, PipelineContext context) {
    BsonValue operand = argument;
    if (argument.isArray()) {
      if (argument.asArray().size() != 1) {
        throw new CommandException(
            ErrorCode.LOCATION_40237, "The " + name + " accumulator is a unary operator");
      }
      operand = argument.asArray().get(0);
    }
    return Expressions.parse(operand, context.expressions());
  }

  private static Accumulation parseAddToSet(
      String name, BsonValue argument, PipelineContext context) {
    return Accumulation.of(
        operand(name, argument, context), n -> new ListAccumulators.AddToSet(context.order()));
  }

  private static Accumulation parseCount(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument() || !argument.asDocument().isEmpty()) {
      throw StageFailures.typeMismatch("$count takes no arguments, i.e. $count:{}");
    }
    return Accumulation.of(new Constant(new BsonInt32(1)), n -> new SimpleAccumulators.Sum());
  }

  private static Accumulation parseExtreme(
      String name, BsonValue argument, PipelineContext context) {
    int sign = name.equals("$min") ? 1 : -1;
    return Accumulation.of(
        operand(name, argument, context),
        n -> new SimpleAccumulators.Extreme(context.order(), sign));
  }

  private static Accumulation parseExtremes(
      String name, BsonValue argument, PipelineContext context) {
    int sign = name.equals("$minN") ? 1 : -1;
    return counted(n -> new ListAccumulators.ExtremeN(n, context.order(), sign))
        .parse(name, argument, context);
  }

  /** {@code {n: ..., input: ...}}. */
  private static Parser counted(IntFunction<Accumulator> factory) {
    return (name, argument, context) -> {
      if (!argument.isDocument()) {
        throw new CommandException(
            ErrorCode.LOCATION_5787900,
            "specification must be an object; found " + BsonText.element(name, argument));
      }
      BsonDocument arguments = argument.asDocument();
      for (String field : arguments.keySet()) {
        if (!field.equals("n") && !field.equals("input")) {
          throw new CommandException(
              ErrorCode.LOCATION_5787901, "Unknown argument for 'n' operator: " + field);
        }
      }
      BsonValue n = require(arguments, "n", ErrorCode.LOCATION_5787906);
      BsonValue input = require(arguments, "input", ErrorCode.LOCATION_5787907);
      return new Accumulation(
          Expressions.parse(input, context.expressions()),
          Expressions.parse(n, context.expressions()),
          null,
          factory);
    };
  }

  private static BsonValue require(BsonDocument arguments, String field, ErrorCode code) {
    BsonValue value = arguments.get(field);
    if (value == null) {
      throw new CommandException(code, "Missing value for '" + field + "'");
    }
    return value;
  }

  /** {@code {sortBy: ..., output: ...}}, with {@code n} or without. */
  private static Parser ranked(boolean isBottom, boolean isMany) {
    return (name, argument, context) -> {
      if (!argument.isDocument()) {
        throw new CommandException(
            ErrorCode.LOCATION_5788001,
            "specification must be an object; found " + BsonText.element(name, argument));
      }
      BsonDocument arguments = argument.asDocument();
      List<String> known = isMany ? List.of("n", "sortBy", "output") : List.of("sortBy", "output");
      for (String field : arguments.keySet()) {
        if (!known.contains(field)) {
          throw new CommandException(
              ErrorCode.LOCATION_5788002, "Unknown argument to " + name + " '" + field + "'");
        }
      }
      BsonValue n = isMany ? require(arguments, "n", ErrorCode.LOCATION_5788003) : null;
      BsonValue output = require(arguments, "output", ErrorCode.LOCATION_5788004);
      SortKey sortBy = sortBy(require(arguments, "sortBy", ErrorCode.LOCATION_5788005), context);
      return new Accumulation(
          Expressions.parse(output, context.expressions()),
          n == null ? null : Expressions.parse(n, context.expressions()),
          sortBy,
          size -> new ListAccumulators.Ranked(size, isBottom, isMany));
    };
  }

  private static SortKey sortBy(BsonValue pattern, PipelineContext context) {
    if (!pattern.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_10065, "invalid parameter: expected an object (sortBy)");
    }
    return SortKey.parse(pattern.asDocument(), context.order());
  }

  /** The expression of the same name computes; the accumulator collects its input. */
  private static Accumulation parsePercentile(
      String name, BsonValue argument, PipelineContext context) {
    BsonValue overList = argument;
    @Nullable Expression input = null;
    if (argument.isDocument() && argument.asDocument().containsKey("input")) {
      var changed = new BsonDocument();
      changed.putAll(argument.asDocument());
      input = Expressions.parse(changed.get("input"), context.expressions());
      changed.put("input", new BsonString("$" + ListAccumulators.Percentiles.LIST));
      overList = changed;
    }
    Expression computation = Expressions.parseOperator(name, overList, context.expressions());
    return Accumulation.of(
        input,
        n -> new ListAccumulators.Percentiles(list -> computation.evaluate(new Scope(list))));
  }
}
