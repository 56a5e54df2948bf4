package dev.orrery.language.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafeRegexTest {
  private static boolean matches(String pattern, String options, String input) {
    return SafeRegex.compile(pattern, options).find(input);
  }

  @Test
  void optionsMeanWhatTheyMeanInPcre() {
    assertThat(matches("É", "i", "é")).isTrue();
    assertThat(matches("^b", "", "a\nb")).isFalse();
    assertThat(matches("^b", "m", "a\nb")).isTrue();
    assertThat(matches("^b", "m", "a\rb")).isFalse();
    assertThat(matches("a.b", "", "a\nb")).isFalse();
    assertThat(matches("a.b", "s", "a\nb")).isTrue();
    assertThat(matches("a.b", "", "a\rb")).isTrue();
    assertThat(matches("a b # c", "x", "ab")).isTrue();
    assertThat(matches("a[ #]b", "x", "a#b")).isTrue();
  }

  @Test
  void dotTakesAWholeCodePoint() {
    assertThat(SafeRegex.compile("^.$", "").find("😀")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "[[:digit:]]+, 5",
    "[[:^digit:]], x",
    "[]x], ']'",
    "[a&&b], '&'",
    "[[a], '['",
    "a{, 'a{'",
    "a{x}, 'a{x}'",
    "'a{1,2}', aa",
    "(?P<a_b>x)(?P=a_b), xx",
    "(?'n'x)\\k{n}, xx",
    "(x)\\g1, xx",
    "(x)\\g{1}5, xx5",
    "\\Q[.]\\E, '[.]'",
    "x(?#comment)y, xy",
    "\\p{Greek}, α",
    "\\p{L&}, a",
    "\\N, z",
    "(*UTF8)x, x",
    "[\\b], '\b'"
  })
  void pcreSyntaxIsRead(String pattern, String input) {
    assertThat(matches(pattern, "", input)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "(, missing closing parenthesis",
    "), unmatched closing parenthesis",
    "*, quantifier does not follow a repeatable item",
    "[, missing terminating ] for character class",
    "[z-a], range out of order in character class",
    "'a{2,1}', numbers out of order in {} quantifier",
    "\\, \\ at end of pattern"
  })
  void errorsAreInPcresWords(String pattern, String message) {
    assertThatThrownBy(() -> SafeRegex.compile(pattern, ""))
        .isInstanceOf(SafeRegex.InvalidPattern.class)
        .hasMessage(message);
  }

  @Test
  void aPatternThatBacktracksWithoutEndIsGivenUp() {
    SafeRegex regex = SafeRegex.compile("(.*)".repeat(12) + "x\\1", "");
    assertThatThrownBy(() -> regex.find("a".repeat(60))).isInstanceOf(SafeRegex.TooCostly.class);
  }

  @Test
  void aPatternThatRecursesTooDeeplyIsGivenUp() {
    SafeRegex regex = SafeRegex.compile("(a|b)*c", "");
    assertThatThrownBy(() -> regex.find("ab".repeat(500_000)))
        .isInstanceOf(SafeRegex.TooCostly.class);
  }

  @Test
  void groupsThatTookNoPartAreNull() {
    SafeRegex.Match match = SafeRegex.compile("(a)|(b)", "").find("xb", 0);
    assertThat(match.start()).isEqualTo(1);
    assertThat(match.groups()).containsExactly(null, "b");
  }

  @Test
  void unknownOptionsAreNamed() {
    assertThat(SafeRegex.invalidOption("imz")).isEqualTo("z");
    assertThat(SafeRegex.invalidOption("imsxu")).isNull();
  }
}
