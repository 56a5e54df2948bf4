package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.date.TimeUnit;
import dev.orrery.language.date.Zone;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.time.DayOfWeek;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonDateTime;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $dateAdd $dateDiff $dateSubtract $dateTrunc}: calendar arithmetic in a time zone. */
final class DateMathExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$dateAdd", DateMathExpressions::parseArithmetic),
          entry("$dateDiff", DateMathExpressions::parseDiff),
          entry("$dateSubtract", DateMathExpressions::parseArithmetic),
          entry("$dateTrunc", DateMathExpressions::parseTrunc));

  private static final NamedArguments.Shape ARITHMETIC =
      new NamedArguments.Shape(
          List.of("startDate", "unit", "amount", "timezone"),
          ErrorCode.LOCATION_5166400,
          "%s expects an object as its argument",
          ErrorCode.LOCATION_5166401,
          "Unrecognized argument to %s: %s. Expected arguments are startDate, unit, amount, "
              + "and optionally timezone.");
  private static final NamedArguments.Shape DIFF =
      new NamedArguments.Shape(
          List.of("startDate", "endDate", "unit", "timezone", "startOfWeek"),
          ErrorCode.LOCATION_5166301,
          "%s only supports an object as its argument",
          ErrorCode.LOCATION_5166302,
          "Unrecognized argument to %s: %s");
  private static final NamedArguments.Shape TRUNC =
      new NamedArguments.Shape(
          List.of("date", "unit", "binSize", "timezone", "startOfWeek"),
          ErrorCode.LOCATION_5439007,
          "%s only supports an object as its argument",
          ErrorCode.LOCATION_5439008,
          "Unrecognized argument to %s: %s. Expected arguments are date, unit, and optionally, "
              + "binSize, timezone, startOfWeek");
  private static final Expression SUNDAY = new Constant(new BsonString("sunday"));

  private DateMathExpressions() {}

  private static Expression parseArithmetic(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, ARITHMETIC);
    if (!named.has("startDate") || !named.has("unit") || !named.has("amount")) {
      throw new CommandException(
          ErrorCode.LOCATION_5166402, name + " requires startDate, unit, and amount to be present");
    }
    return new DateCall(
        (values, zones) -> add(name, values, zones),
        DateExpressions::parseZone,
        (constants, isZoneNull) -> isUnitNull(name, constants[1]) || isZoneNull.getAsBoolean(),
        List.of(named.optional("startDate"), named.optional("unit"), named.optional("amount")),
        zone(named));
  }

  private static @Nullable Expression zone(NamedArguments named) {
    return named.has("timezone") ? named.optional("timezone") : null;
  }

  /** Whether a constant unit is null; fails for one that is no unit. */
  private static boolean isUnitNull(String name, @Nullable BsonValue unit) {
    if (unit != null && !unit.isNull()) {
      TimeUnit.parse(name, unit);
    }
    return unit != null && unit.isNull();
  }

  /** MongoDB looks at a constant start of the week even if the unit is another. */
  private static boolean isDayNull(String name, @Nullable BsonValue startOfWeek) {
    if (startOfWeek != null && !startOfWeek.isNull()) {
      TimeUnit.parseDay(name, startOfWeek);
    }
    return startOfWeek != null && startOfWeek.isNull();
  }

  private static boolean isBinSizeNull(@Nullable BsonValue binSize) {
    if (binSize != null && !binSize.isNull()) {
      requireBinSize(binSize);
    }
    return binSize != null && binSize.isNull();
  }

  /** Errors of the zone get the operator's name in front. */
  private static Function<BsonValue, Zone> zoneParser(String name) {
    return value -> {
      try {
        return DateExpressions.parseZone(value);
      } catch (CommandException e) {
        throw new CommandException(
            e.code(),
            name + " parameter 'timezone' value parsing failed :: caused by :: " + e.getMessage());
      }
    };
  }

  private static BsonValue add(
      String name, @Nullable BsonValue[] values, Supplier<@Nullable Zone> zones) {
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
    }
    TimeUnit unit = TimeUnit.parse(name, values[1]);
    Zone zone = zones.get();
    if (zone == null) {
      return BsonNull.VALUE;
    }
    if (!Coercion.isDate(values[0])) {
      throw new CommandException(
          ErrorCode.LOCATION_5166403, name + " requires startDate to be convertible to a date");
    }
    if (!Numbers.isLong(values[2])) {
      throw new CommandException(
          ErrorCode.LOCATION_5166405, name + " expects integer amount of time units");
    }
    long amount = Numbers.toLong(values[2]);
    if (name.equals("$dateSubtract")) {
      if (amount == Long.MIN_VALUE) {
        throw new CommandException(
            ErrorCode.LOCATION_6045000,
            "invalid $dateSubtract 'amount' parameter value: " + amount);
      }
      amount = -amount;
    }
    return new BsonDateTime(unit.add(Coercion.toMillis(values[0]), amount, zone));
  }

  private static Expression parseDiff(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, DIFF);
    List<Expression> operands =
        List.of(
            named.required(
                "startDate", ErrorCode.LOCATION_5166303, "Missing 'startDate' parameter to %s"),
            named.required(
                "endDate", ErrorCode.LOCATION_5166304, "Missing 'endDate' parameter to %s"),
            named.required("unit", ErrorCode.LOCATION_5166305, "Missing 'unit' parameter to %s"),
            named.has("startOfWeek") ? named.optional("startOfWeek") : SUNDAY);
    return new DateCall(
        DateMathExpressions::diff,
        zoneParser(name),
        (constants, isZoneNull) ->
            isUnitNull(name, constants[2])
                || isDayNull(name, constants[3])
                || isZoneNull.getAsBoolean(),
        operands,
        zone(named));
  }

  private static BsonValue diff(@Nullable BsonValue[] values, Supplier<@Nullable Zone> zones) {
    if (Truth.isNullish(values[0]) || Truth.isNullish(values[1]) || Truth.isNullish(values[2])) {
      return BsonNull.VALUE;
    }
    boolean isWeek = isWeek(values[2]);
    if (isWeek && Truth.isNullish(values[3])) {
      return BsonNull.VALUE;
    }
    Zone zone = zones.get();
    if (zone == null) {
      return BsonNull.VALUE;
    }
    long start = requireDate("$dateDiff", "startDate", ErrorCode.LOCATION_5166307, values[0]);
    long end = requireDate("$dateDiff", "endDate", ErrorCode.LOCATION_5166307, values[1]);
    TimeUnit unit = TimeUnit.parse("$dateDiff", values[2]);
    DayOfWeek day = isWeek ? TimeUnit.parseDay("$dateDiff", values[3]) : DayOfWeek.SUNDAY;
    try {
      return new BsonInt64(unit.difference(start, end, zone, day));
    } catch (ArithmeticException e) {
      throw new CommandException(ErrorCode.LOCATION_5166308, "dateDiff overflowed");
    }
  }

  private static boolean isWeek(BsonValue unit) {
    return unit instanceof BsonString text && text.getValue().equals("week");
  }

  private static long requireDate(String name, String parameter, ErrorCode code, BsonValue value) {
    if (!Coercion.isDate(value)) {
      throw new CommandException(
          code,
          String.format(
              "%s requires '%s' to be a date, but got %s", name, parameter, typeName(value)));
    }
    return Coercion.toMillis(value);
  }

  private static Expression parseTrunc(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, TRUNC);
    List<Expression> operands =
        List.of(
            named.required("date", ErrorCode.LOCATION_5439009, "Missing 'date' parameter to %s"),
            named.required("unit", ErrorCode.LOCATION_5439010, "Missing 'unit' parameter to %s"),
            named.has("binSize") ? named.optional("binSize") : new Constant(new BsonInt32(1)),
            named.has("startOfWeek") ? named.optional("startOfWeek") : SUNDAY);
    return new DateCall(
        DateMathExpressions::trunc,
        zoneParser(name),
        (constants, isZoneNull) ->
            isUnitNull(name, constants[1])
                || isDayNull(name, constants[3])
                || isZoneNull.getAsBoolean()
                || isBinSizeNull(constants[2]),
        operands,
        zone(named));
  }

  private static BsonValue trunc(@Nullable BsonValue[] values, Supplier<@Nullable Zone> zones) {
    if (Truth.isNullish(values[0]) || Truth.isNullish(values[1]) || Truth.isNullish(values[2])) {
      return BsonNull.VALUE;
    }
    boolean isWeek = isWeek(values[1]);
    if (isWeek && Truth.isNullish(values[3])) {
      return BsonNull.VALUE;
    }
    Zone zone = zones.get();
    if (zone == null) {
      return BsonNull.VALUE;
    }
    long date = requireDate("$dateTrunc", "date", ErrorCode.LOCATION_5439012, values[0]);
    TimeUnit unit = TimeUnit.parse("$dateTrunc", values[1]);
    long binSize = requireBinSize(values[2]);
    DayOfWeek day = isWeek ? TimeUnit.parseDay("$dateTrunc", values[3]) : DayOfWeek.SUNDAY;
    return new BsonDateTime(unit.truncate(date, binSize, zone, day));
  }

  private static long requireBinSize(BsonValue value) {
    if (!Numbers.isLong(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_5439017,
          String.format(
              "$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '%s' of type %s",
              BsonText.aggregated(value), typeName(value)));
    }
    long size = Numbers.toLong(value);
    if (size <= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_5439018,
          "$dateTrunc requires 'binSize' to be greater than 0, but got value " + size);
    }
    return size;
  }
}
