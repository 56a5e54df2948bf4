package dev.orrery.storage.chronicle;

import java.util.Map;
import java.util.TreeMap;

/** Finds the key that divides a partition into halves of about the same bytes. */
final class SplitPoint {
  private SplitPoint() {}

  /** The first key of the upper half, or null when the partition holds one hash value only. */
  static String of(PartitionFiles files) {
    if (files.sizes() == null) {
      return null;
    }
    var bytes = new TreeMap<String, Long>();
    files
        .sizes()
        .forEach(
            (key, size, documents) -> {
              String epk = PrimaryKeys.epkOfLogicalKey(key);
              bytes.merge(epk, size, Long::sum);
            });
    long total = bytes.values().stream().mapToLong(Long::longValue).sum();
    String best = null;
    long bestGap = Long.MAX_VALUE;
    long below = 0;
    for (Map.Entry<String, Long> entry : bytes.entrySet()) {
      long gap = Math.abs(total - 2 * below);
      if (below > 0 && gap < bestGap) {
        best = entry.getKey();
        bestGap = gap;
      }
      below += entry.getValue();
    }
    return best;
  }
}
