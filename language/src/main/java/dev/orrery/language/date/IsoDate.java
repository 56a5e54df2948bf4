package dev.orrery.language.date;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.OptionalLong;

/**
 * The notation that dates mostly come in, {@code 2020-02-29T12:34:56.789Z}, read without a detour.
 * It takes fewer forms than {@link DateText} and agrees with it on those.
 */
final class IsoDate {
  private static final int DATE_LENGTH = 10;
  private static final int TIME_LENGTH = 19;

  private final String text;

  private IsoDate(String text) {
    this.text = text;
  }

  /** The date, or nothing if the text is wrong or in another notation. */
  static OptionalLong parse(String text, Zone zone) {
    try {
      return new IsoDate(text).read(zone);
    } catch (DateTimeException e) {
      return OptionalLong.empty();
    }
  }

  private OptionalLong read(Zone zone) {
    int length = text.length();
    if (length < DATE_LENGTH || text.charAt(4) != '-' || text.charAt(7) != '-') {
      return OptionalLong.empty();
    }
    int year = number(0, 4);
    int month = number(5, 2);
    int day = number(8, 2);
    if (year < 0 || month < 0 || day < 0) {
      return OptionalLong.empty();
    }
    long millis = LocalDate.of(year, month, day).toEpochDay() * Dates.DAY_MILLIS;
    if (length == DATE_LENGTH) {
      return OptionalLong.of(zone.fromLocal(millis));
    }
    int time = time();
    if (time < 0) {
      return OptionalLong.empty();
    }
    int at = TIME_LENGTH;
    int fraction = 0;
    if (at < length && text.charAt(at) == '.') {
      int start = ++at;
      while (at < length && isDigit(at)) {
        at++;
      }
      if (at == start) {
        return OptionalLong.empty();
      }
      fraction = thousandths(start, at);
    }
    long local = millis + time * 1000L + fraction;
    if (at == length) {
      return OptionalLong.of(zone.fromLocal(local));
    }
    boolean isUtc = at == length - 1 && text.charAt(at) == 'Z' && zone.isUtc();
    return isUtc ? OptionalLong.of(local) : OptionalLong.empty();
  }

  /** Seconds of the day, -1 if there is no time of that form. */
  private int time() {
    if (text.length() < TIME_LENGTH
        || text.charAt(10) != 'T'
        || text.charAt(13) != ':'
        || text.charAt(16) != ':') {
      return -1;
    }
    int hour = number(11, 2);
    int minute = number(14, 2);
    int second = number(17, 2);
    boolean isValid =
        hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
    return isValid ? (hour * 60 + minute) * 60 + second : -1;
  }

  private int thousandths(int start, int end) {
    int value = 0;
    for (int i = start; i < start + 3; i++) {
      value = value * 10 + (i < end ? text.charAt(i) - '0' : 0);
    }
    return value;
  }

  private boolean isDigit(int index) {
    return text.charAt(index) >= '0' && text.charAt(index) <= '9';
  }

  /** So many digits as a number, -1 if one is none. */
  private int number(int start, int count) {
    int value = 0;
    for (int i = start; i < start + count; i++) {
      if (!isDigit(i)) {
        return -1;
      }
      value = value * 10 + text.charAt(i) - '0';
    }
    return value;
  }
}
