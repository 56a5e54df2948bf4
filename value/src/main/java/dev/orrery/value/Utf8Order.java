package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Compares Java strings as their UTF-8 bytes compare, mostly without encoding them. */
final class Utf8Order {
  private Utf8Order() {}

  static int compare(String left, String right) {
    int common = Math.min(left.length(), right.length());
    for (int i = 0; i < common; i++) {
      char l = left.charAt(i);
      char r = right.charAt(i);
      if (l != r) {
        return Character.isSurrogate(l) || Character.isSurrogate(r)
            ? compareBytes(left, right)
            : l - r;
      }
    }
    int difference = left.length() - right.length();
    if (difference == 0) {
      return 0;
    }
    char next = difference > 0 ? left.charAt(common) : right.charAt(common);
    return Character.isSurrogate(next) ? compareBytes(left, right) : difference;
  }

  /** Needed around surrogates: they order differently as chars, and lone ones encode as '?'. */
  private static int compareBytes(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
