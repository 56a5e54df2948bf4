package dev.orrery.storage.structure;

import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.storage.partition.EpkRange;
import java.util.Map;
import java.util.TreeMap;

/** Finds the key that divides a partition into halves of about the same bytes. */
public final class SplitPoint {
  /*
   * There may be a partition key for every document, too many to sort in memory. Hashes are spread
   * evenly, so the range is cut into parts, whose bytes are summed up first; then only the keys of
   * the part are sorted in which the middle lies.
   */
  private static final int PARTS = 1 << 12;

  private final PartitionFiles files;
  private final long first;
  private final long partWidth;

  private SplitPoint(PartitionFiles files, EpkRange range) {
    this.files = files;
    this.first = high(range.minInclusive());
    this.partWidth = (high(range.maxExclusive()) - first) / PARTS + 1;
  }

  /** The first key of the upper half, or null when the partition holds one hash value only. */
  public static String of(PartitionFiles files, EpkRange range) {
    return files.sizes() == null ? null : new SplitPoint(files, range).find();
  }

  private static long high(String epk) {
    return switch (epk) {
      case EpkRange.BEGIN -> EffectivePartitionKey.MIN.high();
      case EpkRange.END -> EffectivePartitionKey.MAX.high();
      default -> EffectivePartitionKey.parse(epk).high();
    };
  }

  private int part(String epk) {
    return (int) ((high(epk) - first) / partWidth);
  }

  private String find() {
    long[] bytes = new long[PARTS];
    files
        .sizes()
        .forEach((key, size, documents) -> bytes[part(PrimaryKeys.epkOfLogicalKey(key))] += size);
    long total = 0;
    for (long ofPart : bytes) {
      total += ofPart;
    }
    int middle = 0;
    long below = 0;
    while (middle < PARTS - 1 && 2 * (below + bytes[middle]) <= total) {
      below += bytes[middle++];
    }
    return nearest(keysFrom(middle), below, total);
  }

  /** The keys of a part with their bytes, and the one that follows them. */
  private TreeMap<String, Long> keysFrom(int part) {
    var keys = new TreeMap<String, Long>();
    String[] next = {EpkRange.END};
    files
        .sizes()
        .forEach(
            (key, size, documents) -> {
              String epk = PrimaryKeys.epkOfLogicalKey(key);
              int place = part(epk);
              if (place == part) {
                keys.merge(epk, size, Long::sum);
              } else if (place > part && epk.compareTo(next[0]) < 0) {
                next[0] = epk;
              }
            });
    if (!next[0].equals(EpkRange.END)) {
      keys.put(next[0], 0L);
    }
    return keys;
  }

  private static String nearest(TreeMap<String, Long> keys, long bytesBelow, long total) {
    String best = null;
    long bestGap = Long.MAX_VALUE;
    long below = bytesBelow;
    for (Map.Entry<String, Long> entry : keys.entrySet()) {
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
