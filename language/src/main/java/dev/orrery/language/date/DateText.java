package dev.orrery.language.date;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.AsciiCase;
import java.time.LocalDate;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads dates in the usual notations: ISO 8601 in its variants, American and German dates, month
 * names, times with and without offsets. Like MongoDB's library it takes the longest token that
 * fits, complains about characters that start none, and goes on.
 */
public final class DateText {
  private static final int LENGTH_MAX = 1_000;
  private static final String MONTH_NAME =
      "(?:january|february|march|april|may|june|july|august|september|october|november|december"
          + "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)";
  private static final String HOUR = "(2[0-4]|[01]?[0-9])";
  private static final String MINUTE = "([0-5]?[0-9])";
  private static final String SECOND = "(60|[0-5]?[0-9])";
  private static final String MONTH = "(1[0-2]|0?[0-9])";
  private static final String DAY = "(3[01]|[0-2]?[0-9])(?:st|nd|rd|th)?";
  private static final Set<String> ZONE_ABBREVIATIONS =
      Set.of("utc", "gmt", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "cet", "cest");

  /** A notation: what it looks like and what it sets. Of two equally long, the first is taken. */
  private record Token(Pattern pattern, BiConsumer<DateText, Matcher> action) {}

  private static final List<Token> TOKENS =
      List.of(
          token("t" + HOUR, (s, m) -> s.time(m, 1)),
          token("t?" + HOUR + "[:.]" + MINUTE, (s, m) -> s.time(m, 1)),
          token("t?" + HOUR + "[:.]" + MINUTE + "[:.]" + SECOND, (s, m) -> s.time(m, 1)),
          token(
              "t?" + HOUR + "[:.]" + MINUTE + "[:.]" + SECOND + "[.,:]([0-9]+)",
              (s, m) -> s.time(m, 1)),
          token(
              "(1[0-2]|0?[1-9])(?:[:.]"
                  + MINUTE
                  + "(?:[:.]"
                  + SECOND
                  + ")?)?[ \\t]*([ap])\\.?m\\.?(?![a-z])",
              DateText::meridian),
          token("t(2[0-4]|[01][0-9])([0-5][0-9])([0-5][0-9]|60)?", (s, m) -> s.time(m, 1)),
          token("([0-9]{4})-" + MONTH + "-" + DAY, (s, m) -> s.date(m, 1, 2, 3)),
          token("([0-9]{4})/" + MONTH + "/" + DAY + "/?", (s, m) -> s.date(m, 1, 2, 3)),
          token("([0-9]{4})-" + MONTH, (s, m) -> s.date(number(m, 1), number(m, 2), 1)),
          token("([0-9]{4})(0[0-9]|1[0-2])([0-2][0-9]|3[01])", (s, m) -> s.date(m, 1, 2, 3)),
          token(
              "([0-9]{4})(0[0-9]|1[0-2])([0-2][0-9]|3[01])t(2[0-4]|[01]?[0-9]):?([0-5][0-9]):?"
                  + "([0-5][0-9]|60)(?:[.,]([0-9]+))?",
              (s, m) -> {
                s.date(m, 1, 2, 3);
                s.time(m, 4);
              }),
          token(
              "([0-9]{4})[.-]?(00[1-9]|0[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-6])",
              // The library reads the day of the year as one of January.
              (s, m) -> s.date(number(m, 1), 1, number(m, 2))),
          token(MONTH + "/" + DAY + "/([0-9]{1,4})", (s, m) -> s.date(m, 3, 1, 2)),
          token(DAY + "[.\\t-]" + MONTH + "[.-]([0-9]{4})", (s, m) -> s.date(m, 3, 2, 1)),
          token(
              DAY + "[ \\t.-]*(" + MONTH_NAME + ")[ \\t.-]*([0-9]{4})",
              (s, m) -> s.date(number(m, 3), Dates.monthOf(m.group(2)), number(m, 1))),
          token(
              "(" + MONTH_NAME + ")[ \\t.-]*" + DAY + "[,. \\t]+([0-9]{4})(?![0-9:])",
              (s, m) -> s.date(number(m, 3), Dates.monthOf(m.group(1)), number(m, 2))),
          token(
              "([0-9]{4})[ \\t.-]*(" + MONTH_NAME + ")[ \\t.-]*" + DAY,
              (s, m) -> s.date(number(m, 1), Dates.monthOf(m.group(2)), number(m, 3))),
          token(
              "(" + MONTH_NAME + ")[ \\t.-]*([0-9]{4})",
              (s, m) -> s.date(number(m, 2), Dates.monthOf(m.group(1)), 1)),
          token("([0-9]{4})-?W(0[1-9]|[1-4][0-9]|5[0-3])", (s, m) -> s.isoWeek(m, 1)),
          token(
              "([0-9]{4})-?W(0[1-9]|[1-4][0-9]|5[0-3])-?([0-7])",
              (s, m) -> s.isoWeek(m, number(m, 3))),
          token("[0-9]{4}", (s, m) -> s.parsed.year = number(m, 0)),
          token("(?:gmt)?([+-])(2[0-4]|[01]?[0-9]):?([0-5]?[0-9])?", DateText::offset),
          token(
              "(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday"
                  + "|sun|mon|tues|tue|wednes|wed|thurs|thur|thu|fri|satur|sat)(?![a-z])",
              (s, m) -> {}),
          token(
              "(?:now|today|midnight|noon|tomorrow|yesterday"
                  + "|[+-]?[ \\t]*[0-9]+[ \\t]*(?:sec|second|min|minute|hour|day|week|fortnight"
                  + "|month|year)s?(?:[ \\t]+ago)?)(?![a-z])",
              (s, m) -> {}),
          token("\\(?([a-z]{1,6})\\)?(?![a-z/_])", (s, m) -> s.zone(m.group(1))),
          token("[a-z]+(?:[/_][a-z]+)*", (s, m) -> s.zone(m.group())),
          token("[ .,;\\t]+", (s, m) -> {}));

  private final String text;
  private final ParsedDate parsed;
  private int at;

  private DateText(String text) {
    this.text = text;
    this.parsed = new ParsedDate(text);
  }

  private static Token token(String regex, BiConsumer<DateText, Matcher> action) {
    return new Token(Pattern.compile(regex, Pattern.CASE_INSENSITIVE), action);
  }

  /** The date in a string, in that zone unless the string names its own. */
  public static long parse(String text, Zone zone) {
    if (text.length() > LENGTH_MAX) {
      // No date is so long, and to look for tokens in all of it would take for ever.
      throw new CommandException(
          ErrorCode.CONVERSION_FAILURE,
          "Error parsing date string '%s'; %d: Unexpected character '%c'"
              .formatted(text.substring(0, LENGTH_MAX), LENGTH_MAX, text.charAt(LENGTH_MAX)));
    }
    OptionalLong iso = IsoDate.parse(text, zone);
    return iso.isPresent() ? iso.getAsLong() : parseAny(text, zone);
  }

  /** As {@link #parse}, through the general notations only. */
  static long parseAny(String text, Zone zone) {
    var reader = new DateText(text);
    reader.read();
    return reader.parsed.toMillis(zone, text.length() + 1);
  }

  private void read() {
    if (text.isEmpty()) {
      parsed.complain(0, "Empty string");
    }
    while (at < text.length()) {
      Token best = null;
      Matcher longest = null;
      for (Token token : TOKENS) {
        Matcher matcher = token.pattern.matcher(text).region(at, text.length());
        if (matcher.lookingAt() && (longest == null || matcher.end() > longest.end())) {
          best = token;
          longest = matcher;
        }
      }
      if (best == null) {
        parsed.complain(at, "Unexpected character");
        at++;
      } else {
        best.action.accept(this, longest);
        at = longest.end();
      }
    }
  }

  private static int number(Matcher match, int group) {
    return Integer.parseInt(match.group(group));
  }

  private void time(Matcher match, int first) {
    if (parsed.hasTime()) {
      parsed.complain(at, "Double time specification");
      return;
    }
    int groups = match.groupCount();
    parsed.hour = number(match, first);
    parsed.minute = groups > first ? number(match, first + 1) : 0;
    parsed.second =
        groups > first + 1 && match.group(first + 2) != null ? number(match, first + 2) : 0;
    if (groups > first + 2 && match.group(first + 3) != null) {
      parsed.millis = millis(match.group(first + 3));
    }
  }

  /** Thousandths; further digits are cut off. */
  private static int millis(String fraction) {
    return Integer.parseInt((fraction + "00").substring(0, 3));
  }

  private void meridian(Matcher match) {
    if (parsed.hasTime()) {
      parsed.complain(at, "Double time specification");
      return;
    }
    boolean isAfternoon = match.group(4).equalsIgnoreCase("p");
    parsed.hour = number(match, 1) % 12 + (isAfternoon ? 12 : 0);
    parsed.minute = match.group(2) == null ? 0 : number(match, 2);
    parsed.second = match.group(3) == null ? 0 : number(match, 3);
  }

  private void date(Matcher match, int year, int month, int day) {
    int value = number(match, year);
    if (match.group(year).length() <= 2) {
      value += value < 70 ? 2000 : 1900;
    }
    date(value, number(match, month), number(match, day));
  }

  private void date(int year, int month, int day) {
    if (parsed.hasDate()) {
      parsed.complain(at, "Double date specification");
      return;
    }
    parsed.year = year;
    parsed.month = month;
    parsed.day = day;
  }

  private void isoWeek(Matcher match, int day) {
    if (parsed.hasDate()) {
      parsed.complain(at, "Double date specification");
      return;
    }
    LocalDate start = Dates.isoYearStart(number(match, 1));
    parsed.computedDay = start.plusDays((number(match, 2) - 1) * 7L + day - 1);
  }

  private void offset(Matcher match) {
    int minutes = match.group(3) == null ? 0 : number(match, 3);
    int seconds = (number(match, 2) * 60 + minutes) * 60;
    setZone(Zone.ofOffsetSeconds(match.group(1).equals("-") ? -seconds : seconds), null);
  }

  /** A name of a zone: the abbreviations and single letters are known, no others allowed. */
  private void zone(String name) {
    String lower = AsciiCase.lower(name);
    if (lower.length() == 1 && !lower.equals("j")) {
      setZone(Zone.ofOffsetSeconds(militaryHours(lower.charAt(0)) * 3600), name);
    } else if (ZONE_ABBREVIATIONS.contains(lower)) {
      setZone(Zone.ofOffsetSeconds(abbreviationHours(lower) * 3600), name);
    } else {
      parsed.complain(at, "passing a time zone identifier as part of the string is not allowed");
    }
  }

  private void setZone(Zone zone, @Nullable String name) {
    if (parsed.zone != null) {
      parsed.complain(at, "Double timezone specification");
      return;
    }
    parsed.zone = zone;
    parsed.zoneName = name == null ? null : AsciiCase.upper(name);
  }

  private static int militaryHours(char letter) {
    if (letter == 'z') {
      return 0;
    }
    if (letter <= 'i') {
      return letter - 'a' + 1;
    }
    return letter <= 'm' ? letter - 'a' : 'm' - letter;
  }

  private static int abbreviationHours(String name) {
    return switch (name) {
      case "cest" -> 2;
      case "cet" -> 1;
      case "edt" -> -4;
      case "est", "cdt" -> -5;
      case "cst", "mdt" -> -6;
      case "mst", "pdt" -> -7;
      case "pst" -> -8;
      default -> 0;
    };
  }
}
