package dev.orrery.language.geo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Keys of an index from one number to another, both included. */
public record CellRange(long low, long high) {
  /**
   * The same keys in ascending order, in as few ranges as that takes.
   *
   * @param step how far one key is from the next
   */
  static List<CellRange> joined(List<CellRange> ranges, long step) {
    var sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparingLong(CellRange::low));
    var joined = new ArrayList<CellRange>();
    for (CellRange range : sorted) {
      CellRange last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (last != null && (range.low <= last.high || isNext(last.high, range.low, step))) {
        joined.set(joined.size() - 1, new CellRange(last.low, Math.max(last.high, range.high)));
      } else {
        joined.add(range);
      }
    }
    return joined;
  }

  /** Whether the greater is at most a step away; their difference may be too large for a long. */
  private static boolean isNext(long less, long greater, long step) {
    long difference = greater - less;
    return difference > 0 && difference <= step;
  }

  /** The keys of the first ranges that are not in the others; both ascending and apart. */
  public static List<CellRange> minus(List<CellRange> ranges, List<CellRange> taken) {
    var left = new ArrayList<CellRange>();
    int next = 0;
    for (CellRange range : ranges) {
      while (next < taken.size() && taken.get(next).high < range.low) {
        next++;
      }
      long low = range.low;
      boolean isUsedUp = false;
      for (int i = next; i < taken.size() && taken.get(i).low <= range.high && !isUsedUp; i++) {
        if (taken.get(i).low > low) {
          left.add(new CellRange(low, taken.get(i).low - 1));
        }
        isUsedUp = taken.get(i).high >= range.high;
        low = isUsedUp ? low : Math.max(low, taken.get(i).high + 1);
      }
      if (!isUsedUp) {
        left.add(new CellRange(low, range.high));
      }
    }
    return left;
  }

  /** All keys of both, in ascending order. */
  public static List<CellRange> union(List<CellRange> ranges, List<CellRange> others) {
    var all = new ArrayList<>(ranges);
    all.addAll(others);
    return joined(all, 1);
  }
}
