package dev.orrery.language.date;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What reading a date string has found so far: parts of a date and a time, and complaints with the
 * places they are about. Messages are those of the library that MongoDB parses dates with.
 */
public final class ParsedDate {
  private static final int COMPLAINTS_MAX = 1000;

  private final String text;
  private final List<String> complaints = new ArrayList<>();

  @Nullable Integer year;
  @Nullable Integer month;
  @Nullable Integer day;
  @Nullable Integer hour;
  @Nullable Integer minute;
  @Nullable Integer second;
  int millis;

  /** Set by formats with a day of the year or ISO weeks. */
  @Nullable LocalDate computedDay;

  /** An offset or zone in the string itself. */
  @Nullable Zone zone;

  /** The name of that zone if it is not a plain offset. */
  @Nullable String zoneName;

  ParsedDate(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  boolean hasTime() {
    return hour != null;
  }

  boolean hasDate() {
    return day != null || computedDay != null;
  }

  void complain(int position, String message) {
    // Past the end MongoDB shows the byte that ends the string.
    String character = position < text.length() ? text.substring(position, position + 1) : "\0";
    if (complaints.size() < COMPLAINTS_MAX) { // a long format can fail at every place
      complaints.add(position + ": " + message + " '" + character + "'");
    }
  }

  /** The date meant; {@code given} is the zone argument of the operator. */
  long toMillis(Zone given, int end) {
    checkTime(end);
    checkDay(end);
    if (!complaints.isEmpty()) {
      throw failed("Error parsing date string '" + text + "'; " + String.join("; ", complaints));
    }
    boolean hasDay = computedDay != null || year != null && month != null && day != null;
    if (!hasDay) {
      throw failed(
          "an incomplete date/time string has been found, with elements missing: \"" + text + "\"");
    }
    if (zone != null && !given.isUtc()) {
      throw failed(
          zoneName == null
              ? "you cannot pass in a date/time string with GMT offset together with a timezone "
                  + "argument"
              : "you cannot pass in a date/time string with time zone information ('"
                  + zoneName
                  + "') together with a timezone argument");
    }
    LocalDate date = computedDay != null ? computedDay : LocalDate.of(year, month, day);
    long seconds = (orZero(hour) * 60L + orZero(minute)) * 60 + orZero(second);
    long local = date.toEpochDay() * Dates.DAY_MILLIS + seconds * 1000 + millis;
    return (zone == null ? given : zone).fromLocal(local);
  }

  private static int orZero(@Nullable Integer part) {
    return part == null ? 0 : part;
  }

  private void checkTime(int end) {
    if (orZero(hour) > 23 || orZero(minute) > 59 || orZero(second) > 59) {
      complain(end, "The parsed time was invalid");
    }
  }

  private void checkDay(int end) {
    if (year == null || month == null || day == null) {
      return;
    }
    try {
      LocalDate.of(year, month, day);
    } catch (DateTimeException e) {
      complain(end, "The parsed date was invalid");
    }
  }

  public static CommandException failed(String message) {
    return new CommandException(ErrorCode.CONVERSION_FAILURE, message);
  }
}
