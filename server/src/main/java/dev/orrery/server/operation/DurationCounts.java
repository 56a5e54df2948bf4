package dev.orrery.server.operation;

import java.util.concurrent.atomic.AtomicLongArray;

/** How many requests took how long, to about a sixteenth of the time. Thread-safe. */
public final class DurationCounts {
  /*
   * Buckets are as wide as an eighth of the power of two that they belong to, so the middle of a bucket is
   * wrong by a sixteenth at most. The first holds all below a microsecond, the last all above a minute.
   */
  private static final int EIGHTHS_BITS = 3;
  private static final int FIRST_POWER = 10;
  private static final int LAST_POWER = 36;

  public static final int BUCKETS = ((LAST_POWER - FIRST_POWER) << EIGHTHS_BITS) + 2;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

  public void add(long nanos) {
    counts.getAndIncrement(bucketOf(nanos));
  }

  static int bucketOf(long nanos) {
    if (nanos < 1L << FIRST_POWER) {
      return 0;
    }
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    if (power >= LAST_POWER) {
      return BUCKETS - 1;
    }
    int eighth = (int) (nanos >>> power - EIGHTHS_BITS) & (1 << EIGHTHS_BITS) - 1;
    return 1 + (power - FIRST_POWER << EIGHTHS_BITS) + eighth;
  }

  /** Where a bucket ends: what it counts took less. */
  public static long endNanos(int bucket) {
    if (bucket == BUCKETS - 1) {
      return Long.MAX_VALUE;
    }
    int eighths = (1 << EIGHTHS_BITS) + (bucket & (1 << EIGHTHS_BITS) - 1);
    return (long) eighths << FIRST_POWER - EIGHTHS_BITS + (bucket >> EIGHTHS_BITS);
  }

  /** The counts so far, by bucket; a snapshot that requests may go on changing. */
  public long[] counts() {
    long[] copy = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      copy[i] = counts.get(i);
    }
    return copy;
  }

  /**
   * The time that so many of those counted did not take.
   *
   * @param share from 0 to 1
   * @return 0 when nothing was counted
   */
  public static double nanosAt(long[] counts, double share) {
    long all = 0;
    for (long count : counts) {
      all += count;
    }
    if (all == 0) {
      return 0;
    }
    double wanted = share * all;
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0 && seen + counts[i] >= wanted) {
        double begin = i == 0 ? 0 : endNanos(i - 1);
        double end = i == BUCKETS - 1 ? 2 * begin : endNanos(i);
        return begin + (end - begin) * Math.max(0, wanted - seen) / counts[i];
      }
      seen += counts[i];
    }
    return endNanos(BUCKETS - 2);
  }
}
