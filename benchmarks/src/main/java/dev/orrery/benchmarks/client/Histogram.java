package dev.orrery.benchmarks.client;

/**
 * Counts durations in buckets whose width grows with their value, so that any percentile is known
 * to within 1/64 of itself.
 */
public final class Histogram {
  private static final int SUB_BITS = 7;
  private static final int SUB_BUCKETS = 1 << SUB_BITS;
  private static final int BUCKETS = (Long.SIZE - SUB_BITS) * SUB_BUCKETS;

  private final long[] counts = new long[BUCKETS];
  private long total;

  public void record(long nanos) {
    counts[bucket(Math.max(nanos, 0))]++;
    total++;
  }

  public void add(Histogram other) {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] += other.counts[i];
    }
    total += other.total;
  }

  public long count() {
    return total;
  }

  /** The least duration that is not shorter than this share of all, from 0 to 1; 0 if empty. */
  public long percentile(double share) {
    long rank = Math.max(1, (long) Math.ceil(share * total));
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return upperEdge(i);
      }
    }
    return 0;
  }

  private static int bucket(long value) {
    int exponent = Long.SIZE - Long.numberOfLeadingZeros(value | (SUB_BUCKETS - 1)) - SUB_BITS;
    return (exponent << SUB_BITS) + (int) (value >>> exponent);
  }

  private static long upperEdge(int bucket) {
    int exponent = bucket >>> SUB_BITS;
    long mantissa = bucket & (SUB_BUCKETS - 1);
    return ((mantissa + 1) << exponent) - 1;
  }
}
