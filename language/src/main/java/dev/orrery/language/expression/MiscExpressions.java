package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Variables, literals, metadata, sizes, timestamps, random numbers. */
final class MiscExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$binarySize", Arguments.unary(MiscExpressions::binarySize)),
          entry("$bsonSize", Arguments.unary(MiscExpressions::bsonSize)),
          entry("$const", (name, argument, context) -> new Constant(argument)),
          entry("$let", MiscExpressions::parseLet),
          entry("$literal", (name, argument, context) -> new Constant(argument)),
          entry("$meta", MiscExpressions::parseMeta),
          entry("$rand", MiscExpressions::parseRand),
          entry("$toHashedIndexKey", MiscExpressions::parseHash),
          timestamp("$tsIncrement", ErrorCode.LOCATION_5687302),
          timestamp("$tsSecond", ErrorCode.LOCATION_5687301));

  private static final Set<String> METADATA =
      Set.of(
          "geoNearDistance",
          "geoNearPoint",
          "indexKey",
          "randVal",
          "recordId",
          "searchHighlights",
          "searchScore",
          "searchScoreDetails",
          "searchSequenceToken",
          "sortKey",
          "textScore",
          "timeseriesBucketMaxTime",
          "timeseriesBucketMinTime",
          "vectorSearchScore");

  private MiscExpressions() {}

  private static BsonValue binarySize(@Nullable BsonValue value) {
    if (Truth.isNullish(value)) {
      return BsonNull.VALUE;
    }
    if (value.isString()) {
      return new BsonInt32(value.asString().getValue().getBytes(StandardCharsets.UTF_8).length);
    }
    if (value.isBinary()) {
      return new BsonInt32(value.asBinary().getData().length);
    }
    throw new CommandException(
        ErrorCode.LOCATION_51276,
        "$binarySize requires a string or BinData argument, found: " + typeName(value));
  }

  private static BsonValue bsonSize(@Nullable BsonValue value) {
    if (Truth.isNullish(value)) {
      return BsonNull.VALUE;
    }
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_31393,
          "$bsonSize requires a document input, found: " + typeName(value));
    }
    int length = RawDocument.of(value.asDocument()).length();
    Work.countBytes(length);
    return new BsonInt32(length);
  }

  private static Map.Entry<String, ExpressionOperator> timestamp(String name, ErrorCode code) {
    boolean isSecond = name.equals("$tsSecond");
    return entry(
        name,
        Arguments.unary(
            value -> {
              if (Truth.isNullish(value)) {
                return BsonNull.VALUE;
              }
              if (!value.isTimestamp()) {
                // The space in front is MongoDB's.
                throw new CommandException(
                    code,
                    " Argument to " + name + " must be a timestamp, but is " + typeName(value));
              }
              BsonTimestamp timestamp = value.asTimestamp();
              return new BsonInt64(
                  Integer.toUnsignedLong(isSecond ? timestamp.getTime() : timestamp.getInc()));
            }));
  }

  private static Expression parseLet(String name, BsonValue argument, ParseContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_16874, "$let only supports an object as its argument");
    }
    BsonDocument arguments = argument.asDocument();
    for (String field : arguments.keySet()) {
      if (!field.equals("vars") && !field.equals("in")) {
        throw new CommandException(
            ErrorCode.LOCATION_16875, "Unrecognized parameter to $let: " + field);
      }
    }
    if (!arguments.containsKey("vars")) {
      throw new CommandException(ErrorCode.LOCATION_16876, "Missing 'vars' parameter to $let");
    }
    if (!arguments.containsKey("in")) {
      throw new CommandException(ErrorCode.LOCATION_16877, "Missing 'in' parameter to $let");
    }
    if (!arguments.get("vars").isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_10065, "invalid parameter: expected an object (vars)");
    }
    BsonDocument variables = arguments.getDocument("vars");
    var operands = new ArrayList<Expression>();
    for (BsonValue value : variables.values()) {
      operands.add(Expressions.parse(value, context));
    }
    ParseContext inner = context;
    var slots = new ArrayList<Integer>();
    for (String variable : variables.keySet()) {
      VariableNames.requireWritable(variable);
      inner = inner.withVariable(variable);
      slots.add(inner.slot(variable));
    }
    operands.add(Expressions.parse(arguments.get("in"), inner));
    return new Let(slots, operands);
  }

  /** Operands: the values of the variables, then the expression that reads them. */
  private record Let(List<Integer> slots, List<Expression> operands) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      scope.allowance().steps(operands.size());
      // All values before any binding: their own variables live in the same slots.
      var values = new BsonValue[slots.size()];
      Allowance allowance = scope.allowance();
      long held = 0;
      try {
        for (int i = 0; i < values.length; i++) {
          values[i] = operands.get(i).evaluate(scope);
          held += ValueSize.hold(operands.get(i), values[i], allowance);
        }
        for (int i = 0; i < values.length; i++) {
          scope.bind(slots.get(i), values[i]);
        }
        return operands.get(slots.size()).evaluate(scope);
      } finally {
        allowance.release(held);
      }
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Let(slots, List.copyOf(others));
    }

    @Override
    public Expression optimize() {
      return slots.isEmpty() ? operands.get(0).optimize() : Expression.super.optimize();
    }
  }

  private static Expression parseMeta(String name, BsonValue argument, ParseContext context) {
    if (!argument.isString()) {
      throw new CommandException(ErrorCode.LOCATION_17307, "$meta only supports string arguments");
    }
    String key = argument.asString().getValue();
    if (!METADATA.contains(key)) {
      throw new CommandException(ErrorCode.LOCATION_17308, "Unsupported argument to $meta: " + key);
    }
    return new Metadata(key);
  }

  /** A piece of what the pipeline knows of a document besides its fields. */
  private record Metadata(String name) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      return scope.metadata(name);
    }

    @Override
    public List<Expression> operands() {
      return List.of();
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return this;
    }

    @Override
    public void addDependencies(Dependencies dependencies) {
      dependencies.addMetadata(name);
    }
  }

  private static Expression parseRand(String name, BsonValue argument, ParseContext context) {
    if (!argument.isDocument() && !argument.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_10065, "invalid parameter: expected an object ($rand)");
    }
    boolean isEmpty =
        argument.isArray() ? argument.asArray().isEmpty() : argument.asDocument().isEmpty();
    if (!isEmpty) {
      throw new CommandException(
          ErrorCode.LOCATION_3040501, "$rand does not currently accept arguments");
    }
    return new RandomNumber(context.random());
  }

  /** A new number for every document. */
  private record RandomNumber(RandomGenerator random) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      return new BsonDouble(random.nextDouble());
    }

    @Override
    public List<Expression> operands() {
      return List.of();
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return this;
    }
  }

  private static Expression parseHash(String name, BsonValue argument, ParseContext context) {
    return new Hash(Expressions.parse(argument, context));
  }

  /** Not computed ahead, not even of a constant. */
  private record Hash(Expression operand) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      BsonValue value = operand.evaluate(scope);
      return new BsonInt64(HashedKey.of(value == null ? BsonNull.VALUE : value));
    }

    @Override
    public List<Expression> operands() {
      return List.of(operand);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Hash(others.get(0));
    }
  }
}
