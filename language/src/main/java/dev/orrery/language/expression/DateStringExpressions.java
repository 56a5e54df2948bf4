package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.date.DatePattern;
import dev.orrery.language.date.DateText;
import dev.orrery.language.date.Dates;
import dev.orrery.language.date.ParsedDate;
import dev.orrery.language.date.Zone;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.bson.BsonDateTime;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $dateFromString $dateToString}. */
final class DateStringExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$dateFromString", DateStringExpressions::parseFromString),
          entry("$dateToString", DateStringExpressions::parseToString));

  private static final NamedArguments.Shape TO_STRING =
      new NamedArguments.Shape(
          List.of("format", "date", "timezone", "onNull"),
          ErrorCode.LOCATION_18629,
          "%s only supports an object as its argument",
          ErrorCode.LOCATION_18534,
          "Unrecognized argument to %s: %s");
  private static final NamedArguments.Shape FROM_STRING =
      new NamedArguments.Shape(
          List.of("format", "dateString", "timezone", "onNull", "onError"),
          ErrorCode.LOCATION_40540,
          "%s only supports an object as an argument, found: %s",
          ErrorCode.LOCATION_40541,
          "Unrecognized argument to %s: %s");

  private DateStringExpressions() {}

  private static Expression parseToString(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, TO_STRING);
    Expression date =
        named.required("date", ErrorCode.LOCATION_18628, "Missing 'date' parameter to %s");
    var call =
        new DateCall(
            DateStringExpressions::toText,
            DateExpressions::parseZone,
            DateCall.UNCHECKED,
            List.of(
                date,
                named.has("format")
                    ? named.optional("format")
                    : new Constant(new BsonString(Dates.ISO_FORMAT))),
            named.has("timezone") ? named.optional("timezone") : null);
    return withFallback(named, call);
  }

  private static Expression withFallback(NamedArguments named, DateCall call) {
    if (!named.has("onNull") && !named.has("onError")) {
      return call;
    }
    Expression onNull =
        named.has("onNull") ? named.optional("onNull") : new Constant(BsonNull.VALUE);
    return new Fallback(named.has("onError"), List.of(call, onNull, named.optional("onError")));
  }

  private static BsonValue toText(@Nullable BsonValue[] values, Supplier<@Nullable Zone> zones) {
    String format = format("$dateToString", values[1], ErrorCode.LOCATION_18533);
    if (format != null) {
      Dates.requireOutputFormat(format);
    }
    Zone zone = zones.get();
    if (Truth.isNullish(values[0]) || zone == null || format == null) {
      return BsonNull.VALUE;
    }
    return new BsonString(Dates.format(format, Coercion.toMillis(values[0]), zone));
  }

  private static @Nullable String format(String name, @Nullable BsonValue value, ErrorCode code) {
    if (Truth.isNullish(value)) {
      return null;
    }
    if (!value.isString()) {
      throw new CommandException(
          code,
          String.format(
              "%s requires that 'format' be a string, found: %s with value %s",
              name, typeName(value), BsonText.aggregated(value)));
    }
    return value.asString().getValue();
  }

  private static Expression parseFromString(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, FROM_STRING);
    Expression text =
        named.required(
            "dateString", ErrorCode.LOCATION_40542, "Missing 'dateString' parameter to %s");
    boolean hasFormat = named.has("format");
    var call =
        new DateCall(
            (values, zones) -> fromText(hasFormat, values, zones),
            DateExpressions::parseZone,
            DateCall.UNCHECKED,
            List.of(text, named.optional("format")),
            named.has("timezone") ? named.optional("timezone") : null);
    return withFallback(named, call);
  }

  private static BsonValue fromText(
      boolean hasFormat, @Nullable BsonValue[] values, Supplier<@Nullable Zone> zones) {
    String format = format("$dateFromString", values[1], ErrorCode.LOCATION_40684);
    if (format != null) {
      Dates.requireFormat(format, DatePattern.SPECIFIERS);
    }
    Zone zone = zones.get();
    BsonValue text = values[0];
    if (Truth.isNullish(text)) {
      return BsonNull.VALUE;
    }
    if (!text.isString()) {
      throw ParsedDate.failed(
          String.format(
              "$dateFromString requires that 'dateString' be a string, found: %s with value %s",
              typeName(text), BsonText.aggregated(text)));
    }
    if (zone == null || hasFormat && format == null) {
      return BsonNull.VALUE;
    }
    String string = text.asString().getValue();
    return new BsonDateTime(
        format == null ? DateText.parse(string, zone) : DatePattern.parse(string, format, zone));
  }

  /**
   * Operands: the conversion, onNull, onError. The last two are evaluated only when the input is
   * nothing or can't be converted. The input is the conversion's first operand and evaluated once,
   * as each level of conversions in one another would double the work otherwise.
   */
  private record Fallback(boolean hasOnError, List<Expression> operands) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      var call = (DateCall) operands.get(0);
      BsonValue input;
      BsonValue result;
      try {
        input = call.operands().get(0).evaluate(scope);
        result = call.evaluate(input, scope);
      } catch (CommandException e) {
        if (isCaught(e)) {
          return operands.get(2).evaluate(scope);
        }
        throw e;
      }
      // Null may also come of a null format or zone, which onNull is not for.
      return Truth.isNullish(result) && Truth.isNullish(input)
          ? operands.get(1).evaluate(scope)
          : result;
    }

    private boolean isCaught(CommandException e) {
      return hasOnError && e.code() == ErrorCode.CONVERSION_FAILURE;
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Fallback(hasOnError, List.copyOf(others));
    }

    @Override
    public Expression optimize() {
      try {
        Expression call = operands.get(0).optimize();
        Expression onNull = operands.get(1).optimize();
        Expression onError = operands.get(2).optimize();
        if (call instanceof Constant constant) {
          BsonValue input = operands.get(0).operands().get(0).evaluate(new Scope());
          return Truth.isNullish(constant.value()) && Truth.isNullish(input) ? onNull : constant;
        }
        return withOperands(List.of(call, onNull, onError));
      } catch (CommandException e) {
        if (isCaught(e)) {
          return operands.get(2).optimize();
        }
        throw e;
      }
    }
  }
}
