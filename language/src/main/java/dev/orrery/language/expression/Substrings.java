package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;

/**
 * Finds a text in another as Java does, and ends when the request has to. Java's search compares
 * both at every place, which for two long texts that are nearly alike takes hours.
 */
final class Substrings {
  /** How many characters are compared in about the time of a step. */
  static final int CHARACTERS_PER_STEP = 64;

  /** Comparisons of characters that Java may make on its own: some milliseconds. */
  private static final long ALONE_MAX = 1 << 22;

  private Substrings() {}

  /** Where a text occurs first at or after a position; -1 if it does not. */
  static int find(String text, String wanted, int from) {
    if ((long) wanted.length() * (text.length() - from) <= ALONE_MAX) {
      return text.indexOf(wanted, from);
    }
    Allowance allowance = Allowance.current();
    char first = wanted.charAt(0);
    int last = text.length() - wanted.length();
    for (int at = from; at <= last; at++) {
      allowance.step();
      if (text.charAt(at) == first && isAt(text, wanted, at, allowance)) {
        return at;
      }
    }
    return -1;
  }

  /** Whether a text stands at that place of another. */
  static boolean isAt(String text, String wanted, int at, Allowance allowance) {
    if (wanted.length() <= CHARACTERS_PER_STEP) {
      return text.startsWith(wanted, at);
    }
    // Most places differ early, and only those that don't take time.
    if (!text.regionMatches(at, wanted, 0, CHARACTERS_PER_STEP)) {
      return false;
    }
    allowance.steps(wanted.length() / CHARACTERS_PER_STEP);
    return text.startsWith(wanted, at);
  }
}
