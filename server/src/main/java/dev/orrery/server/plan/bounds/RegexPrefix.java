package dev.orrery.server.plan.bounds;

/** The text that every match of a regular expression begins with: {@code ^ab*c} gives {@code a}. */
final class RegexPrefix {
  private static final String SPECIAL = ".[]()|^$\\*+?{}";

  private RegexPrefix() {}

  /** The prefix; empty when there is none to rely on. */
  static String of(String pattern, String options) {
    boolean isAnchored = pattern.startsWith("^");
    boolean isPlain = options.isEmpty() || options.equals("s");
    if (!isAnchored || !isPlain || pattern.indexOf('|') >= 0) {
      return "";
    }
    var prefix = new StringBuilder();
    for (int i = 1; i < pattern.length(); ) {
      int next = pattern.codePointAt(i);
      if (SPECIAL.indexOf(next) >= 0) {
        boolean isRepeated = next == '*' || next == '?' || next == '{';
        return isRepeated ? withoutLast(prefix) : prefix.toString();
      }
      prefix.appendCodePoint(next);
      i += Character.charCount(next);
    }
    return prefix.toString();
  }

  /** What may be repeated no time at all is no part of the prefix. */
  private static String withoutLast(StringBuilder prefix) {
    return prefix.length() == 0
        ? ""
        : prefix.substring(0, prefix.offsetByCodePoints(prefix.length(), -1));
  }

  /** The least text above all that begin with the prefix; empty when there is none. */
  static String successor(String prefix) {
    int end = prefix.length();
    while (end > 0) {
      int last = prefix.codePointBefore(end);
      end -= Character.charCount(last);
      if (last < Character.MAX_CODE_POINT) {
        int above = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
        return new StringBuilder(prefix.substring(0, end)).appendCodePoint(above).toString();
      }
    }
    return "";
  }
}
