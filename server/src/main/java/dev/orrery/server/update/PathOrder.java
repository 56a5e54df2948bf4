package dev.orrery.server.update;

import dev.orrery.storage.value.StringOrder;
import java.util.Comparator;

/** The order in which the fields of one level are updated: by name, and by value if numbers. */
final class PathOrder implements Comparator<String> {
  static final PathOrder INSTANCE = new PathOrder();

  private PathOrder() {}

  @Override
  public int compare(String left, String right) {
    return isNumber(left) && isNumber(right) && left.length() != right.length()
        ? Integer.compare(left.length(), right.length())
        : StringOrder.UTF8.compare(left, right);
  }

  /** Digits without a leading zero: of two such, the longer is larger. */
  private static boolean isNumber(String name) {
    if (name.isEmpty() || (name.length() > 1 && name.charAt(0) == '0')) {
      return false;
    }
    return name.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
