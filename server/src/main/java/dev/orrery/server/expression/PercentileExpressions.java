package dev.orrery.server.expression;

import static java.util.Map.entry;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $median $percentile}: the values of an array at given ranks, as doubles. */
final class PercentileExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$median", PercentileExpressions::parseMedian),
          entry("$percentile", PercentileExpressions::parsePercentile));

  private PercentileExpressions() {}

  private static Expression parseMedian(String name, BsonValue argument, ParseContext context) {
    BsonDocument arguments = requireArguments(name, argument, List.of("input", "method"));
    requireMethod(arguments.get("method"));
    return new UnaryCall(
        input -> {
          List<BsonValue> found = percentiles(input, List.of(0.5));
          return found.get(0);
        },
        Expressions.parse(arguments.get("input"), context));
  }

  private static Expression parsePercentile(String name, BsonValue argument, ParseContext context) {
    BsonDocument arguments = requireArguments(name, argument, List.of("input", "p", "method"));
    Expression p = Expressions.parse(arguments.get("p"), context).optimize();
    List<Double> ranks = requireRanks(p, arguments.get("p"));
    requireMethod(arguments.get("method"));
    return new UnaryCall(
        input -> new BsonArray(percentiles(input, ranks)),
        Expressions.parse(arguments.get("input"), context));
  }

  private static BsonDocument requireArguments(
      String name, BsonValue argument, List<String> names) {
    if (!argument.isDocument()) {
      throw new CommandException(
          name.equals("$median") ? ErrorCode.LOCATION_7436201 : ErrorCode.LOCATION_7436200,
          "specification must be an object; found " + BsonText.element(name, argument));
    }
    BsonDocument arguments = argument.asDocument();
    for (String field : arguments.keySet()) {
      if (!names.contains(field)) {
        throw new CommandException(
            ErrorCode.LOCATION_40415,
            "BSON field '" + name + "." + field + "' is an unknown field.");
      }
    }
    for (String field : names) {
      if (!arguments.containsKey(field)) {
        throw new CommandException(
            ErrorCode.LOCATION_40414,
            "BSON field '" + name + "." + field + "' is missing but a required field");
      }
    }
    return arguments;
  }

  private static void requireMethod(BsonValue method) {
    if (!method.isString()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "BSON field '$percentile.method' is the wrong type '"
              + BsonText.typeName(method)
              + "', expected type 'string'");
    }
    if (!method.asString().getValue().equals("approximate")) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "Currently only 'approximate' can be used as percentile 'method'.");
    }
  }

  private static List<Double> requireRanks(Expression p, BsonValue written) {
    String rule =
        "The $percentile 'p' field must be an array of numbers from [0.0, 1.0], but found: ";
    if (!(p instanceof Constant constant)) {
      throw new CommandException(
          ErrorCode.LOCATION_7750300,
          "The $percentile 'p' field must be an array of constant values, but found value: "
              + BsonText.aggregated(written));
    }
    BsonValue value = constant.value();
    if (value == null || !value.isArray() || value.asArray().isEmpty()) {
      throw new CommandException(ErrorCode.LOCATION_7750301, rule + BsonText.aggregated(value));
    }
    var ranks = new ArrayList<Double>();
    for (BsonValue rank : value.asArray()) {
      if (!Numbers.isNumber(rank)) {
        throw new CommandException(ErrorCode.LOCATION_7750302, rule + BsonText.aggregated(rank));
      }
      double number = Numbers.toDouble(rank);
      if (!(number >= 0 && number <= 1)) {
        throw new CommandException(ErrorCode.LOCATION_7750303, rule + BsonText.aggregated(rank));
      }
      ranks.add(number);
    }
    return ranks;
  }

  /** One value per rank, null if the input has no numbers. */
  private static List<BsonValue> percentiles(@Nullable BsonValue input, List<Double> ranks) {
    double[] numbers = numbers(input);
    var found = new ArrayList<BsonValue>(ranks.size());
    for (double rank : ranks) {
      if (numbers.length == 0) {
        found.add(BsonNull.VALUE);
        continue;
      }
      int index =
          rank >= 1 ? numbers.length - 1 : (int) Math.max(0, Math.ceil(numbers.length * rank) - 1);
      found.add(new BsonDouble(numbers[index]));
    }
    return found;
  }

  private static double[] numbers(@Nullable BsonValue input) {
    if (Numbers.isNumber(input)) {
      return new double[] {Numbers.toDouble(input)};
    }
    if (input == null || !input.isArray()) {
      return new double[0];
    }
    return input.asArray().stream()
        .filter(Numbers::isNumber)
        .mapToDouble(Numbers::toDouble)
        .filter(number -> !Double.isNaN(number))
        .sorted()
        .toArray();
  }
}
