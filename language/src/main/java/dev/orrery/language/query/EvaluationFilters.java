package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;

/**
 * {@code $alwaysFalse $alwaysTrue $comment $expr $jsonSchema $mod $options $regex $sampleRate $text
 * $where}: conditions that compute something.
 */
public final class EvaluationFilters {
  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(
          entry("$mod", EvaluationFilters::parseMod),
          entry("$options", EvaluationFilters::parseOptions),
          entry("$regex", EvaluationFilters::parseRegex));

  static final Map<String, TopLevelOperator> TOP_LEVEL =
      Map.ofEntries(
          entry("$alwaysFalse", EvaluationFilters::parseAlways),
          entry("$alwaysTrue", EvaluationFilters::parseAlways),
          entry("$comment", (name, argument, scope) -> null),
          entry("$expr", EvaluationFilters::parseExpression),
          entry("$jsonSchema", EvaluationFilters::parseSchema),
          entry("$sampleRate", EvaluationFilters::parseSampleRate),
          entry("$text", EvaluationFilters::parseText),
          entry("$where", EvaluationFilters::parseWhere));

  private EvaluationFilters() {}

  /** {@code $mod: [divisor, remainder]}: on numbers with their fraction cut off. */
  record Remainder(long divisor, long remainder) implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      if (value == null || !value.isNumber()) {
        return false;
      }
      var dividend = IntegerArgument.truncatedLong(value);
      return dividend != null && dividend % divisor == remainder;
    }

    @Override
    public BsonDocument document() {
      var array = new BsonArray(List.of(new BsonInt64(divisor), new BsonInt64(remainder)));
      return new BsonDocument("$mod", array);
    }
  }

  /** {@code $sampleRate}: a share of all documents, chosen anew each time. */
  record Sample(double rate) implements DocumentPredicate {
    @Override
    public boolean test(RawDocument document) {
      return ThreadLocalRandom.current().nextDouble() < rate;
    }

    @Override
    public BsonDocument document() {
      return new BsonDocument("$sampleRate", new BsonDouble(rate));
    }
  }

  private static Filter parseMod(OperatorCall call) {
    if (!call.argument().isArray()) {
      throw badValue("malformed mod, needs to be an array");
    }
    var values = call.argument().asDocument().toValues();
    if (values.isEmpty()) {
      throw badValue("malformed mod, not enough elements");
    }
    if (!values.get(0).isNumber()) {
      throw badValue("malformed mod, divisor not a number");
    }
    if (values.size() == 1) {
      throw badValue("malformed mod, not enough elements");
    }
    if (!values.get(1).isNumber()) {
      throw badValue("malformed mod, remainder not a number");
    }
    if (values.size() > 2) {
      throw badValue("malformed mod, too many elements");
    }
    long divisor = coerce(values.get(0), "divisor");
    long remainder = coerce(values.get(1), "remainder");
    if (divisor == 0) {
      throw badValue("divisor cannot be 0");
    }
    return call.filter(new Remainder(divisor, remainder));
  }

  private static long coerce(RawValue number, String role) {
    var whole = IntegerArgument.truncatedLong(number);
    if (whole != null) {
      return whole;
    }
    boolean isFinite =
        number.type() == RawTypes.DOUBLE
            ? Double.isFinite(number.asDouble())
            : ValueTypes.decimal(number).isFinite();
    throw badValue(
        "malformed mod, "
            + role
            + " value is invalid :: caused by :: "
            + (isFinite
                ? "Out of bounds coercing to integral value"
                : "Unable to coerce NaN/Inf to integral type"));
  }

  private static Filter parseOptions(OperatorCall call) {
    if (call.siblings().field("$regex") == null) {
      throw badValue("$options needs a $regex");
    }
    return null;
  }

  /** Reads {@code $regex} and {@code $options}, which may stand in either order. */
  private static Filter parseRegex(OperatorCall call) {
    String pattern = "";
    String options = "";
    var elements = call.siblings().elements();
    while (elements.next()) {
      if (elements.name().equals("$regex")) {
        var regex = elements.value();
        if (regex.type() == RawTypes.STRING) {
          pattern = regex.asString();
        } else if (regex.type() == RawTypes.REGEX) {
          var value = regex.toBsonValue().asRegularExpression();
          pattern = value.getPattern();
          options = merge(options, value.getOptions(), ErrorCode.LOCATION_51074);
        } else {
          throw badValue("$regex has to be a string");
        }
      } else if (elements.name().equals("$options")) {
        if (elements.type() != RawTypes.STRING) {
          throw badValue("$options has to be a string");
        }
        if (!options.isEmpty()) {
          throw bothOptions(ErrorCode.LOCATION_51075);
        }
        options = elements.value().asString();
      }
    }
    return call.filter(Regex.of(pattern, options));
  }

  private static String merge(String options, String others, ErrorCode conflict) {
    if (!options.isEmpty() && !others.isEmpty()) {
      throw bothOptions(conflict);
    }
    return others.isEmpty() ? options : others;
  }

  private static CommandException bothOptions(ErrorCode code) {
    return new CommandException(code, "options set in both $regex and $options");
  }

  private static Filter parseAlways(String name, RawValue argument, OperatorCall.Scope scope) {
    var one = IntegerArgument.parse(name, argument);
    if (!one.isValid()) {
      throw new CommandException(ErrorCode.FAILED_TO_PARSE, one.error());
    }
    if (one.value() != 1) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, name + " must be an integer value of 1");
    }
    return name.equals("$alwaysTrue") ? Filter.ALL : Filter.NOTHING;
  }

  private static Filter parseSampleRate(String name, RawValue argument, OperatorCall.Scope scope) {
    requireTopLevel(name, scope);
    if (!argument.isNumber()) {
      throw badValue("argument to $sampleRate must be a numeric type");
    }
    double rate =
        argument.type() == RawTypes.DECIMAL128
            ? ValueTypes.decimal(argument).doubleValue()
            : argument.toBsonValue().asNumber().doubleValue();
    if (!(rate >= 0 && rate <= 1)) { // also refuses NaN
      throw badValue("numeric argument to $sampleRate must be in [0, 1]");
    }
    if (rate == 0) {
      return Filter.NOTHING;
    }
    return rate == 1 ? Filter.ALL : new Filter.Whole(new Sample(rate));
  }

  private static Filter parseExpression(String name, RawValue argument, OperatorCall.Scope scope) {
    requireTopLevel(name, scope);
    if (!scope.context().allows(FilterContext.Feature.EXPRESSION)) {
      throw new CommandException(
          ErrorCode.QUERY_FEATURE_NOT_ALLOWED, "$expr is not allowed in this context");
    }
    return new Filter.Whole(ExpressionPredicate.parse(argument, scope.context()));
  }

  private static Filter parseSchema(String name, RawValue argument, OperatorCall.Scope scope) {
    if (!scope.context().allows(FilterContext.Feature.JSON_SCHEMA)) {
      throw new CommandException(
          ErrorCode.QUERY_FEATURE_NOT_ALLOWED, "$jsonSchema is not allowed in this context");
    }
    if (!argument.isDocument()) {
      throw new CommandException(ErrorCode.TYPE_MISMATCH, "$jsonSchema must be an object");
    }
    return new Filter.Whole(JsonSchema.parse(argument.asDocument()));
  }

  private static Filter parseText(String name, RawValue argument, OperatorCall.Scope scope) {
    requireTopLevel(name, scope);
    requireAllowed(name, FilterContext.Feature.TEXT, scope);
    if (!argument.isDocument()) {
      throw badValue("$text expects an object");
    }
    return TextFilters.parse(argument.asDocument());
  }

  private static Filter parseWhere(String name, RawValue argument, OperatorCall.Scope scope) {
    requireAllowed(name, FilterContext.Feature.WHERE, scope);
    requireTopLevel(name, scope);
    requireCode(argument);
    // What MongoDB answers when it runs without server-side JavaScript.
    throw badValue("no globalScriptEngine in $where parsing");
  }

  private static void requireCode(RawValue argument) {
    if (argument.type() == RawTypes.CODE_WITH_SCOPE) {
      throw new CommandException(
          ErrorCode.LOCATION_4649201, "$where no longer supports deprecated BSON type CodeWScope");
    }
    if (argument.type() != RawTypes.STRING && argument.type() != RawTypes.CODE) {
      throw badValue("$where got bad type");
    }
    if (argument.asString().isEmpty()) {
      throw badValue("code for $where cannot be empty");
    }
  }

  private static void requireTopLevel(String name, OperatorCall.Scope scope) {
    if (scope.isSubdocument()) {
      throw badValue(name + " can only be applied to the top-level document");
    }
  }

  private static void requireAllowed(
      String name, FilterContext.Feature feature, OperatorCall.Scope scope) {
    if (!scope.context().allows(feature)) {
      throw badValue(name + " is not allowed in this context");
    }
  }
}
