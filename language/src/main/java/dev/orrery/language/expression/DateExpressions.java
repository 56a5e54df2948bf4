package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.date.Dates;
import dev.orrery.language.date.Zone;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The parts of dates: {@code $year}, {@code $hour} ..., {@code $dateToParts $dateFromParts}. */
final class DateExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$dateFromParts", DateExpressions::parseFromParts),
          entry("$dateToParts", DateExpressions::parseToParts),
          part("$dayOfMonth", LocalDateTime::getDayOfMonth),
          part("$dayOfWeek", Dates::dayOfWeek),
          part("$dayOfYear", LocalDateTime::getDayOfYear),
          part("$hour", LocalDateTime::getHour),
          part("$isoDayOfWeek", date -> date.getDayOfWeek().getValue()),
          part("$isoWeek", Dates::isoWeek),
          longPart("$isoWeekYear", date -> new BsonInt64(Dates.isoWeekYear(date))),
          part("$millisecond", date -> date.getNano() / 1_000_000),
          part("$minute", LocalDateTime::getMinute),
          part("$month", LocalDateTime::getMonthValue),
          part("$second", LocalDateTime::getSecond),
          part("$week", Dates::week),
          part("$year", LocalDateTime::getYear));

  private static final NamedArguments.Shape TO_PARTS =
      new NamedArguments.Shape(
          List.of("date", "timezone", "iso8601"),
          ErrorCode.LOCATION_40524,
          "%s only supports an object as its argument",
          ErrorCode.LOCATION_40520,
          "Unrecognized argument to %s: %s");
  private static final List<String> PARTS =
      List.of(
          "year",
          "month",
          "day",
          "hour",
          "minute",
          "second",
          "millisecond",
          "isoWeekYear",
          "isoWeek",
          "isoDayOfWeek");
  private static final NamedArguments.Shape FROM_PARTS =
      new NamedArguments.Shape(
          List.of(
              "year",
              "month",
              "day",
              "hour",
              "minute",
              "second",
              "millisecond",
              "isoWeekYear",
              "isoWeek",
              "isoDayOfWeek",
              "timezone"),
          ErrorCode.LOCATION_40519,
          "%s only supports an object as its argument",
          ErrorCode.LOCATION_40518,
          "Unrecognized argument to %s: %s");
  private static final int PART_MIN = Short.MIN_VALUE;
  private static final int PART_MAX = Short.MAX_VALUE;

  private DateExpressions() {}

  private static Map.Entry<String, ExpressionOperator> part(
      String name, Function<LocalDateTime, Integer> part) {
    return longPart(name, date -> new BsonInt32(part.apply(date)));
  }

  private static Map.Entry<String, ExpressionOperator> longPart(
      String name, Function<LocalDateTime, BsonValue> part) {
    return entry(
        name, (operator, argument, context) -> parsePart(operator, argument, context, part));
  }

  /** {@code {$hour: date}}, {@code {$hour: [date]}} or {@code {$hour: {date:, timezone:}}}. */
  private static Expression parsePart(
      String name,
      BsonValue argument,
      ParseContext context,
      Function<LocalDateTime, BsonValue> part) {
    BsonValue date = argument;
    BsonValue zone = null;
    if (argument.isDocument() && !isOperator(argument.asDocument())) {
      BsonDocument options = argument.asDocument();
      for (String option : options.keySet()) {
        if (!option.equals("date") && !option.equals("timezone")) {
          throw new CommandException(
              ErrorCode.LOCATION_40535, "unrecognized option to " + name + ": \"" + option + "\"");
        }
      }
      date = options.get("date");
      zone = options.get("timezone");
      if (date == null) {
        throw new CommandException(
            ErrorCode.LOCATION_40539,
            String.format(
                "missing 'date' argument to %s, provided: %s",
                name, BsonText.element(name, options)));
      }
    } else if (argument.isArray()) {
      if (argument.asArray().size() != 1) {
        throw new CommandException(
            ErrorCode.LOCATION_40536,
            String.format(
                "%s accepts exactly one argument if given an array, but was given %d",
                name, argument.asArray().size()));
      }
      date = argument.asArray().get(0);
    }
    return new DateCall(
        (values, zones) -> extract(values[0], zones, part),
        value -> parseZone(name, value),
        DateCall.UNCHECKED,
        List.of(Expressions.parse(date, context)),
        zone == null ? null : Expressions.parse(zone, context));
  }

  private static boolean isOperator(BsonDocument document) {
    return !document.isEmpty() && document.getFirstKey().startsWith("$");
  }

  private static Zone parseZone(String name, BsonValue value) {
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40533,
          String.format(
              "%s requires a string for the timezone argument, but was given a %s (%s)",
              name, typeName(value), BsonText.aggregated(value)));
    }
    return Zone.parse(value.asString().getValue());
  }

  private static BsonValue extract(
      @Nullable BsonValue date,
      Supplier<@Nullable Zone> zones,
      Function<LocalDateTime, BsonValue> part) {
    if (Truth.isNullish(date)) {
      return BsonNull.VALUE;
    }
    Zone zone = zones.get();
    return zone == null
        ? BsonNull.VALUE
        : part.apply(Dates.parts(zone.toLocal(Coercion.toMillis(date))));
  }

  /** The zone of an operator that names it an argument of its own. */
  static Zone parseZone(BsonValue value) {
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40517, "timezone must evaluate to a string, found " + typeName(value));
    }
    return Zone.parse(value.asString().getValue());
  }

  private static Expression parseToParts(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, TO_PARTS);
    Expression date =
        named.required("date", ErrorCode.LOCATION_40522, "Missing 'date' parameter to %s");
    Expression iso =
        named.has("iso8601") ? named.optional("iso8601") : new Constant(BsonBoolean.FALSE);
    return new DateCall(
        DateExpressions::toParts,
        DateExpressions::parseZone,
        DateCall.UNCHECKED,
        List.of(date, iso),
        named.has("timezone") ? named.optional("timezone") : null);
  }

  private static BsonValue toParts(@Nullable BsonValue[] values, Supplier<@Nullable Zone> zones) {
    Zone zone = zones.get();
    if (zone == null || Truth.isNullish(values[1])) {
      return BsonNull.VALUE;
    }
    if (!values[1].isBoolean()) {
      throw new CommandException(
          ErrorCode.LOCATION_40521,
          "iso8601 must evaluate to a bool, found " + typeName(values[1]));
    }
    if (Truth.isNullish(values[0])) {
      return BsonNull.VALUE;
    }
    LocalDateTime parts = Dates.parts(zone.toLocal(Coercion.toMillis(values[0])));
    var document = new BsonDocument();
    if (values[1].asBoolean().getValue()) {
      document.append("isoWeekYear", new BsonInt32(Dates.isoWeekYear(parts)));
      document.append("isoWeek", new BsonInt32(Dates.isoWeek(parts)));
      document.append("isoDayOfWeek", new BsonInt32(parts.getDayOfWeek().getValue()));
    } else {
      document.append("year", new BsonInt32(parts.getYear()));
      document.append("month", new BsonInt32(parts.getMonthValue()));
      document.append("day", new BsonInt32(parts.getDayOfMonth()));
    }
    return document
        .append("hour", new BsonInt32(parts.getHour()))
        .append("minute", new BsonInt32(parts.getMinute()))
        .append("second", new BsonInt32(parts.getSecond()))
        .append("millisecond", new BsonInt32(parts.getNano() / 1_000_000));
  }

  private static Expression parseFromParts(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, FROM_PARTS);
    boolean isNatural = named.has("year");
    if (!isNatural && !named.has("isoWeekYear")) {
      throw new CommandException(
          ErrorCode.LOCATION_40516,
          "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
    }
    if (isNatural
        && (named.has("isoWeekYear") || named.has("isoWeek") || named.has("isoDayOfWeek"))) {
      throw new CommandException(
          ErrorCode.LOCATION_40489,
          "$dateFromParts does not allow mixing natural dates with ISO dates");
    }
    if (!isNatural && (named.has("month") || named.has("day"))) {
      throw new CommandException(
          ErrorCode.LOCATION_40525,
          "$dateFromParts does not allow mixing ISO dates with natural dates");
    }
    var operands = new ArrayList<Expression>();
    for (String part : PARTS) {
      int standard = part.equals("month") || part.equals("day") || part.startsWith("iso") ? 1 : 0;
      operands.add(named.has(part) ? named.optional(part) : new Constant(new BsonInt32(standard)));
    }
    return new DateCall(
        (values, zones) -> fromParts(isNatural, values, zones),
        DateExpressions::parseZone,
        DateCall.UNCHECKED,
        operands,
        named.has("timezone") ? named.optional("timezone") : null);
  }

  private static BsonValue fromParts(
      boolean isNatural, @Nullable BsonValue[] values, Supplier<@Nullable Zone> zones) {
    Long hour = number(values, 3, true);
    Long minute = hour == null ? null : number(values, 4, true);
    Long second = minute == null ? null : number(values, 5, false);
    Long millisecond = second == null ? null : number(values, 6, false);
    Zone zone = millisecond == null ? null : zones.get();
    if (zone == null) {
      return BsonNull.VALUE;
    }
    LocalDate day = isNatural ? natural(values) : iso(values);
    if (day == null) {
      return BsonNull.VALUE;
    }
    long seconds = (hour * 60 + minute) * 60 + second;
    long local = day.toEpochDay() * Dates.DAY_MILLIS + seconds * 1000 + millisecond;
    return new BsonDateTime(zone.fromLocal(local));
  }

  private static @Nullable LocalDate natural(@Nullable BsonValue[] values) {
    Long year = number(values, 0, false);
    Long month = year == null ? null : number(values, 1, true);
    Long day = month == null ? null : number(values, 2, true);
    if (day == null) {
      return null;
    }
    requireYear("year", year, ErrorCode.LOCATION_40523);
    return LocalDate.of(year.intValue(), 1, 1).plusMonths(month - 1).plusDays(day - 1);
  }

  private static @Nullable LocalDate iso(@Nullable BsonValue[] values) {
    Long year = number(values, 7, false);
    Long week = year == null ? null : number(values, 8, true);
    Long day = week == null ? null : number(values, 9, true);
    if (day == null) {
      return null;
    }
    requireYear("isoWeekYear", year, ErrorCode.LOCATION_31095);
    return Dates.isoYearStart(year.intValue()).plusDays((week - 1) * 7 + day - 1);
  }

  private static void requireYear(String part, long year, ErrorCode code) {
    if (year < 1 || year > 9999) {
      throw new CommandException(
          code,
          String.format(
              "'%s' must evaluate to an integer in the range 1 to 9999, found %d", part, year));
    }
  }

  /** One part of a date; null if it is nothing. */
  private static @Nullable Long number(@Nullable BsonValue[] values, int index, boolean isBounded) {
    BsonValue value = values[index];
    if (Truth.isNullish(value)) {
      return null;
    }
    if (!Numbers.isLong(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_40515,
          String.format(
              "'%s' must evaluate to an integer, found %s with value %s",
              PARTS.get(index), typeName(value), BsonText.aggregated(value)));
    }
    long number = Numbers.toLong(value);
    if (isBounded && (number < PART_MIN || number > PART_MAX)) {
      throw new CommandException(
          ErrorCode.LOCATION_31034,
          String.format(
              "'%s' must evaluate to a value in the range [%d, %d]; value %d is not in range",
              PARTS.get(index), PART_MIN, PART_MAX, number));
    }
    return number;
  }
}
