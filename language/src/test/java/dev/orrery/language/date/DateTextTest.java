package dev.orrery.language.date;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DayOfWeek;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DateTextTest {
  private static long millis(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }

  @ParameterizedTest
  @CsvSource({
    "2020-02-29, 2020-02-29T00:00:00Z",
    "2020-2-9, 2020-02-09T00:00:00Z",
    "2020/02/29 12:34, 2020-02-29T12:34:00Z",
    "2020-02-29T12, 2020-02-29T12:00:00Z",
    "20200229T123456Z, 2020-02-29T12:34:56Z",
    "2020-02-29T12:34:56.7891+05:30, 2020-02-29T07:04:56.789Z",
    "'Sat, 29 Feb 2020 12:34:56 GMT', 2020-02-29T12:34:56Z",
    "'February 29, 2020 1:05 pm', 2020-02-29T13:05:00Z",
    "29.02.2020, 2020-02-29T00:00:00Z",
    "2/29/2020, 2020-02-29T00:00:00Z",
    "2020-W09-6, 2020-02-29T00:00:00Z"
  })
  void theUsualNotationsAreRead(String text, String instant) {
    assertThat(DateText.parse(text, Zone.UTC)).isEqualTo(millis(instant));
  }

  @ParameterizedTest
  @CsvSource({
    "Hello, Error parsing date string 'Hello'; 0: passing a time zone identifier as part of the string is not allowed 'H'",
    "2020-13-01, Error parsing date string '2020-13-01'; 6: Unexpected character '3'",
    "12:34, 'an incomplete date/time string has been found, with elements missing: \"12:34\"'",
    "2020-02-29T12:60:00Z, Error parsing date string '2020-02-29T12:60:00Z'; 15: Double time specification '0'"
  })
  void whatIsWrongIsNamedWithItsPlace(String text, String message) {
    assertThatThrownBy(() -> DateText.parse(text, Zone.UTC)).hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2020-02-29",
        "2020-02-29T12:34:56",
        "2020-02-29T12:34:56Z",
        "2020-02-29T12:34:56.7Z",
        "2020-02-29T12:34:56.78912",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999Z"
      })
  void theShortWayForIsoDatesAgreesWithTheLongOne(String text) {
    long expected = DateText.parseAny(text, Zone.UTC);
    assertThat(IsoDate.parse(text, Zone.UTC)).hasValue(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2020-02-30", "2020-02-29T24:00:00Z", "2020-02-29T12:34:56.Z", "2020-02-29 12:34:56",
        "2020-2-29", "2020-02-29T12:34:56+01:00", "20-02-2900", ""
      })
  void whatIsNotPlainIsoGoesTheLongWay(String text) {
    assertThat(IsoDate.parse(text, Zone.UTC)).isEmpty();
  }

  @Test
  void localTimesInAGapMoveForwardAndRepeatedOnesAreTheFirst() {
    Zone newYork = Zone.parse("America/New_York");
    assertThat(DateText.parse("2021-03-14T02:30", newYork))
        .isEqualTo(millis("2021-03-14T07:30:00Z"));
    assertThat(DateText.parse("2021-11-07T01:30", newYork))
        .isEqualTo(millis("2021-11-07T05:30:00Z"));
  }

  @Test
  void daysAreAddedOnTheCalendarAndHoursOnTheClock() {
    Zone newYork = Zone.parse("America/New_York");
    long before = millis("2021-03-13T15:00:00Z");
    assertThat(TimeUnit.DAY.add(before, 1, newYork)).isEqualTo(millis("2021-03-14T14:00:00Z"));
    assertThat(TimeUnit.HOUR.add(before, 24, newYork)).isEqualTo(millis("2021-03-14T15:00:00Z"));
    assertThat(TimeUnit.MONTH.add(millis("2020-01-31T00:00:00Z"), 1))
        .isEqualTo(millis("2020-02-29T00:00:00Z"));
  }

  @Test
  void weeksBeginOnTheDayAskedFor() {
    long saturday = millis("2020-02-29T12:00:00Z");
    assertThat(TimeUnit.WEEK.truncate(saturday, 1, Zone.UTC, DayOfWeek.SUNDAY))
        .isEqualTo(millis("2020-02-23T00:00:00Z"));
    assertThat(TimeUnit.WEEK.truncate(saturday, 1, Zone.UTC, DayOfWeek.SATURDAY))
        .isEqualTo(millis("2020-02-29T00:00:00Z"));
  }
}
