package dev.orrery.language.number;

/**
 * Long texts of numbers. To read one takes a time that grows with the square of its digits, and no
 * type has room for more than some hundred of them.
 */
final class NumberDigits {
  /** More than any double has between itself and the next; one more digit tells of all others. */
  private static final int DIGITS_MAX = 800;

  private static final int SHORT_MAX = 1_000;
  private static final long EXPONENT_MAX = 999_999_999;

  private NumberDigits() {}

  /**
   * A text that is read as the same double and the same decimal, with few digits.
   *
   * @param text {@code [+-]digits[.digits][e[+-]digits]}
   */
  static String few(String text) {
    return text.length() <= SHORT_MAX ? text : shortened(text);
  }

  private static String shortened(String text) {
    int end = exponentAt(text);
    var digits = new StringBuilder(DIGITS_MAX + 16);
    long exponent = end == text.length() ? 0 : exponent(text, end + 1);
    boolean isFraction = false;
    boolean isMore = false;
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (c == '.') {
        isFraction = true;
      } else if (c >= '0' && c <= '9') {
        boolean isLeading = digits.length() == 0 && c == '0';
        boolean isKept = !isLeading && digits.length() < DIGITS_MAX;
        if (isKept) {
          digits.append(c);
        }
        isMore |= !isKept && c != '0';
        exponent += (isFraction ? -1 : 0) + (isKept || isLeading ? 0 : 1);
      }
    }
    if (isMore) {
      digits.append('1');
      exponent--;
    }
    exponent = Math.max(-EXPONENT_MAX, Math.min(EXPONENT_MAX, exponent));
    String sign = text.startsWith("-") ? "-" : "";
    return sign + (digits.length() == 0 ? "0" : digits) + "E" + exponent;
  }

  private static int exponentAt(String text) {
    int at = Math.max(text.indexOf('e'), text.indexOf('E'));
    return at < 0 ? text.length() : at;
  }

  /** What is too large is as large as can be. */
  private static long exponent(String text, int from) {
    boolean isNegative = text.charAt(from) == '-';
    long value = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= '0' && c <= '9') {
        value = Math.min(EXPONENT_MAX, value * 10 + c - '0');
      }
    }
    return isNegative ? -value : value;
  }
}
