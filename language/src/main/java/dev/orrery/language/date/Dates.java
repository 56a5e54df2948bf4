package dev.orrery.language.date;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.IsoFields;
import java.util.Locale;

/** Calendar arithmetic over milliseconds, and dates as text. */
public final class Dates {
  public static final String ISO_FORMAT = "%Y-%m-%dT%H:%M:%S.%LZ";
  public static final long DAY_MILLIS = 86_400_000L;

  private static final String[] MONTHS = {
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December"
  };
  private static final String SPECIFIERS = "dGHjLmMSwuUVYzZ%bB";

  private Dates() {}

  /** A local time in milliseconds, taken apart. */
  public static LocalDateTime parts(long local) {
    int nanos = (int) Math.floorMod(local, 1000L) * 1_000_000;
    return LocalDateTime.ofEpochSecond(Math.floorDiv(local, 1000L), nanos, ZoneOffset.UTC);
  }

  static long millis(LocalDateTime parts) {
    return Math.addExact(
        Math.multiplyExact(parts.toEpochSecond(ZoneOffset.UTC), 1000L),
        parts.getNano() / 1_000_000);
  }

  static long millisOfDay(long local) {
    return Math.floorMod(local, DAY_MILLIS);
  }

  static LocalDate date(long local) {
    return LocalDate.ofEpochDay(Math.floorDiv(local, DAY_MILLIS));
  }

  /** Weeks begin on Sundays; days before the first one are in week 0. */
  public static int week(LocalDateTime parts) {
    int weekday = parts.getDayOfWeek().getValue() % 7;
    return (parts.getDayOfYear() - 1 + 7 - weekday) / 7;
  }

  public static int isoWeek(LocalDateTime parts) {
    return parts.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
  }

  public static int isoWeekYear(LocalDateTime parts) {
    return parts.get(IsoFields.WEEK_BASED_YEAR);
  }

  /** Sunday is 1, Saturday 7. */
  public static int dayOfWeek(LocalDateTime parts) {
    return parts.getDayOfWeek().getValue() % 7 + 1;
  }

  /** The Monday of the first ISO week of a year. */
  public static LocalDate isoYearStart(int year) {
    return LocalDate.of(year, 1, 4).with(DayOfWeek.MONDAY);
  }

  static String monthName(int month) {
    return MONTHS[month - 1];
  }

  /** The month with that name or its first three letters; 0 if there is none. */
  static int monthOf(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    for (int i = 0; i < MONTHS.length; i++) {
      String month = MONTHS[i].toLowerCase(Locale.ROOT);
      boolean isShort = lower.length() == 3 && month.startsWith(lower);
      if (isShort || month.equals(lower) || i == 8 && lower.equals("sept")) {
        return i + 1;
      }
    }
    return 0;
  }

  public static String toIsoText(long millis) {
    return format(ISO_FORMAT, millis, Zone.UTC);
  }

  /** Checks a format of {@code $dateToString} or, without the parts that can't be read, parsing. */
  public static void requireFormat(String format, String specifiers) {
    for (int i = 0; i < format.length(); i++) {
      if (format.charAt(i) == '%') {
        i++;
        if (i == format.length()) {
          throw new CommandException(
              ErrorCode.LOCATION_18535, "Unmatched '%' at end of format string");
        }
        if (specifiers.indexOf(format.charAt(i)) < 0) {
          int end = format.offsetByCodePoints(i, 1);
          throw new CommandException(
              ErrorCode.LOCATION_18536,
              "Invalid format character '%" + format.substring(i, end) + "' in format string");
        }
      }
    }
  }

  public static void requireOutputFormat(String format) {
    requireFormat(format, SPECIFIERS);
  }

  public static String format(String format, long millis, Zone zone) {
    LocalDateTime parts = parts(zone.toLocal(millis));
    var out = new StringBuilder();
    for (int i = 0; i < format.length(); i++) {
      char c = format.charAt(i);
      if (c == '%' && i + 1 < format.length()) {
        i++;
        append(out, format.charAt(i), parts, zone.offsetSeconds(millis));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static void append(
      StringBuilder out, char specifier, LocalDateTime parts, int offsetSeconds) {
    switch (specifier) {
      case '%' -> out.append('%');
      case 'd' -> pad(out, parts.getDayOfMonth(), 2);
      case 'G' -> pad(out, isoWeekYear(parts), 4);
      case 'H' -> pad(out, parts.getHour(), 2);
      case 'j' -> pad(out, parts.getDayOfYear(), 3);
      case 'L' -> pad(out, parts.getNano() / 1_000_000, 3);
      case 'm' -> pad(out, parts.getMonthValue(), 2);
      case 'M' -> pad(out, parts.getMinute(), 2);
      case 'S' -> pad(out, parts.getSecond(), 2);
      case 'w' -> pad(out, dayOfWeek(parts), 1);
      case 'u' -> pad(out, parts.getDayOfWeek().getValue(), 1);
      case 'U' -> pad(out, week(parts), 2);
      case 'V' -> pad(out, isoWeek(parts), 2);
      case 'Y' -> pad(out, parts.getYear(), 4);
      case 'b' -> out.append(monthName(parts.getMonthValue()), 0, 3);
      case 'B' -> out.append(monthName(parts.getMonthValue()));
      case 'z' -> {
        int minutes = Math.abs(offsetSeconds) / 60;
        out.append(offsetSeconds < 0 ? '-' : '+');
        pad(out, minutes / 60, 2);
        pad(out, minutes % 60, 2);
      }
      case 'Z' -> out.append(offsetSeconds / 60);
      default -> throw new IllegalArgumentException("unchecked format");
    }
  }

  private static void pad(StringBuilder out, int value, int width) {
    if (width == 4 && (value < 0 || value > 9999)) {
      throw new CommandException(
          ErrorCode.LOCATION_18537,
          "Could not convert date to string: date component was outside the supported range of "
              + "0-9999: "
              + value);
    }
    String digits = Integer.toString(value);
    out.append("0".repeat(Math.max(0, width - digits.length()))).append(digits);
  }
}
