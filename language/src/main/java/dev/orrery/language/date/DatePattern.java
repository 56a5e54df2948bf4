package dev.orrery.language.date;

import java.time.LocalDate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a date by a format such as {@code %d/%m/%Y}. Numbers are read as MongoDB's library does:
 * what is no digit is skipped before them, and they may be shorter than the format says.
 */
public final class DatePattern {
  public static final String SPECIFIERS = "dGHjLmMSuVYzZ%bB";

  private static final Pattern OFFSET =
      Pattern.compile("(?:GMT)?([+-])(\\d{1,2}):?(\\d\\d)?|[zZ]|UTC|GMT");

  private final String text;
  private final String format;
  private final ParsedDate parsed;
  private int at;
  private @Nullable Integer dayOfYear;
  private @Nullable Integer isoYear;
  private @Nullable Integer isoWeek;
  private @Nullable Integer isoDay;

  private DatePattern(String text, String format) {
    this.text = text;
    this.format = format;
    this.parsed = new ParsedDate(text);
  }

  public static long parse(String text, String format, Zone zone) {
    var reader = new DatePattern(text, format);
    reader.read();
    reader.finish();
    return reader.parsed.toMillis(zone, reader.at);
  }

  private void read() {
    for (int i = 0; i < format.length(); i++) {
      if (at >= text.length()) {
        parsed.complain(at, "Not enough data available to satisfy format");
        return;
      }
      char c = format.charAt(i);
      if (c == '%') {
        i++;
        specifier(format.charAt(i));
      } else {
        if (text.charAt(at) != c) {
          parsed.complain(at, "Format literal not found");
        }
        at++;
      }
    }
    if (at < text.length()) {
      parsed.complain(at, "Trailing data");
    }
  }

  private void specifier(char specifier) {
    switch (specifier) {
      case '%' -> {
        if (text.charAt(at) != '%') {
          parsed.complain(at, "Format literal not found");
        }
        at++;
      }
      case 'd' -> parsed.day = number(2, "A two digit day could not be found");
      case 'G' -> isoYear = number(4, "A four digit ISO-8601 year could not be found");
      case 'H' -> parsed.hour = number(2, "A two digit hour could not be found");
      case 'j' -> dayOfYear = number(3, "A three digit day-of-year could not be found");
      case 'L' -> fraction();
      case 'm' -> parsed.month = number(2, "A two digit month could not be found");
      case 'M' -> parsed.minute = number(2, "A two digit minute could not be found");
      case 'S' -> parsed.second = number(2, "A two digit second could not be found");
      case 'u' -> isoDay = number(1, "A single digit day of week could not be found");
      case 'V' -> isoWeek = number(2, "A two digit ISO-8601 week number could not be found");
      case 'Y' -> parsed.year = number(4, "A four digit year could not be found");
      case 'b', 'B' -> monthName();
      case 'z' -> offset();
      case 'Z' -> offsetMinutes();
      default -> throw new IllegalArgumentException("unchecked format");
    }
  }

  private @Nullable Integer number(int width, String complaint) {
    int start = at;
    if (!isDigit(at)) {
      parsed.complain(at, "Unexpected data found.");
    }
    while (start < text.length() && !isDigit(start)) {
      start++;
    }
    int end = start;
    while (end < text.length() && end < start + width && isDigit(end)) {
      end++;
    }
    if (end == start) {
      parsed.complain(at, complaint);
      at = end;
      return null;
    }
    at = end;
    return Integer.valueOf(text.substring(start, end));
  }

  private boolean isDigit(int index) {
    return text.charAt(index) >= '0' && text.charAt(index) <= '9';
  }

  private void fraction() {
    int start = at;
    Integer digits = number(3, "A three digit millisecond could not be found");
    if (digits != null) {
      int count = at - start;
      parsed.millis = digits * (count == 1 ? 100 : count == 2 ? 10 : 1);
    }
  }

  private void monthName() {
    int end = at;
    while (end < text.length() && Character.isLetter(text.charAt(end))) {
      end++;
    }
    int month = Dates.monthOf(text.substring(at, end));
    if (month == 0) {
      parsed.complain(at, "A textual month could not be found");
      return;
    }
    parsed.month = month;
    at = end;
  }

  private void offset() {
    Matcher matcher = OFFSET.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      parsed.complain(at, "passing a time zone identifier as part of the string is not allowed");
      return;
    }
    int seconds = 0;
    if (matcher.group(1) != null) {
      int minutes = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
      seconds = (Integer.parseInt(matcher.group(2)) * 60 + minutes) * 60;
      seconds = matcher.group(1).equals("-") ? -seconds : seconds;
    }
    parsed.zone = Zone.ofOffsetSeconds(seconds);
    at = matcher.end();
  }

  private void offsetMinutes() {
    char sign = text.charAt(at);
    int end = at + 1;
    while (end < text.length() && isDigit(end)) {
      end++;
    }
    if (sign != '+' && sign != '-' || end == at + 1 || end - at > 5) {
      parsed.complain(at, "Invalid timezone offset in minutes");
      return;
    }
    int minutes = Integer.parseInt(text.substring(at + 1, end));
    parsed.zone = Zone.ofOffsetSeconds((sign == '-' ? -minutes : minutes) * 60);
    at = end;
  }

  /** Turns days of the year and ISO weeks into a day. */
  private void finish() {
    if (isoYear != null || isoWeek != null || isoDay != null) {
      if (parsed.year != null || parsed.month != null || parsed.day != null) {
        parsed.complain(at, "Mixing of ISO dates with natural dates is not allowed");
      } else if (isoYear != null) {
        int week = isoWeek == null ? 1 : isoWeek;
        int day = isoDay == null ? 1 : isoDay;
        parsed.computedDay = Dates.isoYearStart(isoYear).plusDays((week - 1) * 7L + day - 1);
      }
    }
    if (dayOfYear != null && parsed.year != null) {
      // MongoDB counts the day of the year from zero here: day 60 of 2020 is March 1.
      parsed.computedDay = LocalDate.of(parsed.year, 1, 1).plusDays(dayOfYear);
    }
  }
}
