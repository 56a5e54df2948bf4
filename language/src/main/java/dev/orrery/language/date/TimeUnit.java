package dev.orrery.language.date;

import static dev.orrery.language.error.BsonText.typeName;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.bson.BsonValue;

/**
 * The units of {@code $dateAdd}, {@code $dateDiff} and {@code $dateTrunc}, with their arithmetic.
 */
public enum TimeUnit {
  YEAR(12, 365 * Dates.DAY_MILLIS),
  QUARTER(3, 90 * Dates.DAY_MILLIS),
  MONTH(1, 28 * Dates.DAY_MILLIS),
  WEEK(0, 7 * Dates.DAY_MILLIS),
  DAY(0, Dates.DAY_MILLIS),
  HOUR(0, 3_600_000),
  MINUTE(0, 60_000),
  SECOND(0, 1000),
  MILLISECOND(0, 1);

  /** Bins are counted from the first moment of 2000, a Saturday. */
  private static final LocalDate REFERENCE = LocalDate.of(2000, 1, 1);

  /** Twice the range of dates, roughly: what is more can't lead from one to another. */
  private static final double AMOUNT_MILLIS_MAX = 0x1p64;

  private static final long BIN_SIZE_MAX = 100_000_000_000L;

  private final int months;
  private final long millis;

  TimeUnit(int months, long millis) {
    this.months = months;
    this.millis = millis;
  }

  /** The unit of that name; an error speaks for the operator. */
  public static TimeUnit parse(String operator, BsonValue value) {
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_5439013,
          operator + " requires 'unit' to be a string, but got " + typeName(value));
    }
    for (TimeUnit unit : values()) {
      if (unit.text().equals(value.asString().getValue())) {
        return unit;
      }
    }
    throw new CommandException(
        ErrorCode.FAILED_TO_PARSE,
        operator
            + " parameter 'unit' value parsing failed :: caused by :: unknown time unit value: "
            + value.asString().getValue());
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The length in milliseconds where that is fixed: from milliseconds to weeks. */
  public long fixedMillis() {
    return millis;
  }

  /** The date that many units later, in UTC. */
  public long add(long date, long amount) {
    return add(date, amount, Zone.UTC);
  }

  /** The date that many units later, by the calendar and clock of the zone. */
  public long add(long date, long amount, Zone zone) {
    if (this != MILLISECOND && Math.abs((double) amount) * millis > AMOUNT_MILLIS_MAX) {
      throw new CommandException(
          ErrorCode.LOCATION_5976500,
          "invalid dateAdd 'amount' parameter value: " + amount + " " + text());
    }
    try {
      if (compareTo(DAY) > 0) {
        return Math.addExact(date, Math.multiplyExact(amount, millis));
      }
      LocalDateTime local = Dates.parts(zone.toLocal(date));
      LocalDateTime later =
          months > 0
              ? local.plusMonths(Math.multiplyExact(amount, months))
              : local.plusDays(Math.multiplyExact(amount, this == WEEK ? 7 : 1));
      return zone.fromLocal(Dates.millis(later));
    } catch (ArithmeticException | DateTimeException e) {
      throw new CommandException(ErrorCode.LOCATION_5166406, "dateAdd overflowed");
    }
  }

  /** How many boundaries of the unit lie between two dates. */
  public long difference(long start, long end, Zone zone, DayOfWeek startOfWeek) {
    LocalDateTime from = Dates.parts(zone.toLocal(start));
    LocalDateTime to = Dates.parts(zone.toLocal(end));
    return switch (this) {
      case YEAR -> (long) to.getYear() - from.getYear();
      case QUARTER ->
          ((long) to.getYear() - from.getYear()) * 4
              + (to.getMonthValue() - 1) / 3
              - (from.getMonthValue() - 1) / 3;
      case MONTH ->
          ((long) to.getYear() - from.getYear()) * 12 + to.getMonthValue() - from.getMonthValue();
      case WEEK -> {
        long days = weekStart(from, startOfWeek).until(weekStart(to, startOfWeek), ChronoUnit.DAYS);
        yield days / 7;
      }
      case DAY -> from.toLocalDate().until(to.toLocalDate(), ChronoUnit.DAYS);
      case HOUR, MINUTE, SECOND -> {
        // Counted on the clock, then corrected by what the clock was set forward or back.
        int setBack = zone.offsetSeconds(start) - zone.offsetSeconds(end);
        long onClock =
            Math.floorDiv(zone.toLocal(end), millis) - Math.floorDiv(zone.toLocal(start), millis);
        yield onClock + setBack * 1000L / millis;
      }
      case MILLISECOND -> Math.subtractExact(end, start);
    };
  }

  private static LocalDate weekStart(LocalDateTime parts, DayOfWeek startOfWeek) {
    int after = Math.floorMod(parts.getDayOfWeek().getValue() - startOfWeek.getValue(), 7);
    return parts.toLocalDate().minusDays(after);
  }

  /** The start of the bin of so many units that holds the date. */
  public long truncate(long date, long binSize, Zone zone, DayOfWeek startOfWeek) {
    if (compareTo(DAY) <= 0 && binSize > BIN_SIZE_MAX) {
      throw new CommandException(ErrorCode.LOCATION_5439006, "dateTrunc unsupported binSize value");
    }
    LocalDateTime local = Dates.parts(zone.toLocal(date));
    try {
      if (months > 0) {
        long since = (local.getYear() - 2000L) * 12 + local.getMonthValue() - 1;
        long bin = Math.multiplyExact(binSize, months);
        long start = Math.multiplyExact(Math.floorDiv(since, bin), bin);
        return startOfDay(REFERENCE.plusMonths(start), zone);
      }
      if (this == WEEK || this == DAY) {
        LocalDate reference =
            this == DAY
                ? REFERENCE
                : REFERENCE.plusDays(
                    Math.floorMod(startOfWeek.getValue() - DayOfWeek.SATURDAY.getValue(), 7));
        long days = reference.until(local.toLocalDate(), ChronoUnit.DAYS);
        long bin = Math.multiplyExact(binSize, this == WEEK ? 7L : 1L);
        return startOfDay(
            reference.plusDays(Math.multiplyExact(Math.floorDiv(days, bin), bin)), zone);
      }
      long reference = startOfDay(REFERENCE, zone);
      long bin = Math.multiplyExact(binSize, millis);
      long since = Math.subtractExact(date, reference);
      return Math.addExact(reference, Math.multiplyExact(Math.floorDiv(since, bin), bin));
    } catch (ArithmeticException | DateTimeException e) {
      throw new CommandException(ErrorCode.LOCATION_5439004, "dateTrunc overflowed");
    }
  }

  private static long startOfDay(LocalDate day, Zone zone) {
    return zone.fromLocal(Math.multiplyExact(day.toEpochDay(), Dates.DAY_MILLIS));
  }

  /** A day of the week by name or its first three letters, in any case. */
  public static DayOfWeek parseDay(String operator, BsonValue value) {
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_5439015,
          operator + " requires 'startOfWeek' to be a string, but got " + typeName(value));
    }
    String text = value.asString().getValue();
    String upper = text.toUpperCase(Locale.ROOT);
    for (DayOfWeek day : DayOfWeek.values()) {
      if (day.name().equals(upper) || upper.length() == 3 && day.name().startsWith(upper)) {
        return day;
      }
    }
    throw new CommandException(
        ErrorCode.LOCATION_5439016,
        operator
            + " parameter 'startOfWeek' value cannot be recognized as a day of a week: "
            + text);
  }
}
