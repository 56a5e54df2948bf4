package dev.orrery.language.update;

import dev.orrery.value.StringOrder;
import java.util.Comparator;

/**
 * The order in which the fields of one level are updated: by name, but numbers by value and before
 * other names that start with a digit.
 */
final class PathOrder implements Comparator<String> {
  static final PathOrder INSTANCE = new PathOrder();

  private PathOrder() {}

  @Override
  public int compare(String left, String right) {
    if (startsWithDigit(left) && startsWithDigit(right)) {
      boolean isNumber = isNumber(left);
      if (isNumber != isNumber(right)) {
        return isNumber ? -1 : 1;
      }
      if (isNumber && left.length() != right.length()) {
        return Integer.compare(left.length(), right.length());
      }
    }
    return StringOrder.UTF8.compare(left, right);
  }

  private static boolean startsWithDigit(String name) {
    return !name.isEmpty() && isDigit(name.charAt(0));
  }

  /** Digits without a leading zero: of two such, the longer is larger. */
  private static boolean isNumber(String name) {
    if (name.length() > 1 && name.charAt(0) == '0') {
      return false;
    }
    return name.chars().allMatch(PathOrder::isDigit);
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }
}
