package dev.orrery.language.expression;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonValue;

/**
 * The arguments of {@code $percentile} and {@code $median}, as expressions and as accumulators:
 * what to look at, and which ranks between 0 and 1 are wanted. A median is one value, percentiles
 * are an array of as many as there are ranks.
 */
public record Percentiles(Expression input, List<Double> ranks, boolean isMedian) {
  public Percentiles {
    ranks = List.copyOf(ranks);
  }

  /** Parses the arguments of the operator; {@code notObject} is the code if they are no object. */
  public static Percentiles parse(
      String operator, BsonValue argument, ParseContext context, ErrorCode notObject) {
    boolean isMedian = operator.equals("$median");
    if (!argument.isDocument()) {
      throw new CommandException(
          notObject,
          "specification must be an object; found " + BsonText.element(operator, argument));
    }
    BsonDocument arguments = argument.asDocument();
    requireFields(
        operator,
        arguments,
        isMedian ? List.of("input", "method") : List.of("input", "p", "method"));
    List<Double> ranks = isMedian ? List.of(0.5) : parseRanks(arguments.get("p"), context);
    requireMethod(operator, arguments.get("method"));
    return new Percentiles(Expressions.parse(arguments.get("input"), context), ranks, isMedian);
  }

  private static void requireFields(String operator, BsonDocument arguments, List<String> names) {
    for (String field : arguments.keySet()) {
      if (!names.contains(field)) {
        throw new CommandException(
            ErrorCode.LOCATION_40415,
            "BSON field '" + operator + "." + field + "' is an unknown field.");
      }
    }
    for (String field : names) {
      if (!arguments.containsKey(field)) {
        throw new CommandException(
            ErrorCode.LOCATION_40414,
            "BSON field '" + operator + "." + field + "' is missing but a required field");
      }
    }
  }

  private static void requireMethod(String operator, BsonValue method) {
    if (!method.isString()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          String.format(
              "BSON field '%s.method' is the wrong type '%s', expected type 'string'",
              operator, BsonText.typeName(method)));
    }
    if (!method.asString().getValue().equals("approximate")) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "Currently only 'approximate' can be used as percentile 'method'.");
    }
  }

  private static List<Double> parseRanks(BsonValue p, ParseContext context) {
    if (!(Expressions.parse(p, context).optimize() instanceof Constant constant)) {
      throw new CommandException(
          ErrorCode.LOCATION_7750300,
          "The $percentile 'p' field must be an array of constant values, but found value: "
              + BsonText.aggregated(p));
    }
    BsonValue value = constant.value();
    if (value == null || !value.isArray() || value.asArray().isEmpty()) {
      throw badRank(ErrorCode.LOCATION_7750301, value);
    }
    var ranks = new ArrayList<Double>();
    for (BsonValue rank : value.asArray()) {
      if (!Numbers.isNumber(rank)) {
        throw badRank(ErrorCode.LOCATION_7750302, rank);
      }
      double number = Numbers.toDouble(rank);
      if (!(number >= 0 && number <= 1)) {
        throw badRank(ErrorCode.LOCATION_7750303, rank);
      }
      ranks.add(number);
    }
    return ranks;
  }

  private static CommandException badRank(ErrorCode code, BsonValue found) {
    return new CommandException(
        code,
        "The $percentile 'p' field must be an array of numbers from [0.0, 1.0], but found: "
            + BsonText.aggregated(found));
  }

  /** The values at the ranks among these numbers, which get sorted; NaN does not count. */
  public BsonValue of(double[] numbers) {
    double[] sorted = Arrays.stream(numbers).filter(x -> !Double.isNaN(x)).sorted().toArray();
    var found = new BsonArray(ranks.size());
    for (double rank : ranks) {
      found.add(sorted.length == 0 ? BsonNull.VALUE : new BsonDouble(sorted[index(sorted, rank)]));
    }
    return isMedian ? found.get(0) : found;
  }

  private static int index(double[] sorted, double rank) {
    return rank >= 1 ? sorted.length - 1 : (int) Math.max(0, Math.ceil(sorted.length * rank) - 1);
  }
}
