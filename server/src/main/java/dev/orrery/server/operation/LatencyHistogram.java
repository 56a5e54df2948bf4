package dev.orrery.server.operation;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** How many operations took how long, in the ranges that MongoDB has. Any thread may use it. */
public final class LatencyHistogram {
  /** Where each range begins: powers of two, and from 2 to 1573 ms what is half way between. */
  private static final long[] MICROS = ranges();

  private final AtomicLongArray counts = new AtomicLongArray(MICROS.length);

  private static long[] ranges() {
    var starts = new TreeMap<Long, Boolean>();
    starts.put(0L, true);
    for (int power = 1; power <= 40; power++) {
      starts.put(1L << power, true);
      if (power >= 11 && power <= 20) {
        starts.put(3L << (power - 1), true);
      }
    }
    return starts.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  void add(long nanos) {
    // What was waited for a client's sake is taken off, and measured a little apart.
    long micros = Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos));
    int found = Arrays.binarySearch(MICROS, micros);
    counts.incrementAndGet(found >= 0 ? found : -found - 2);
  }

  /** The ranges that are not empty: how many operations took so many microseconds or more. */
  public SortedMap<Long, Long> counts() {
    var filled = new TreeMap<Long, Long>();
    for (int i = 0; i < MICROS.length; i++) {
      if (counts.get(i) > 0) {
        filled.put(MICROS[i], counts.get(i));
      }
    }
    return filled;
  }
}
