package dev.orrery.server.throughput;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys with the largest sums out of any number of keys, in bounded memory. Thread-safe.
 *
 * @param <K> what is counted
 */
final class TopCounts<K> {
  /*
   * The Space-Saving sketch (Metwally, Agrawal, El Abbadi: Efficient computation of frequent and top-k
   * elements in data streams, 2005): when there is no room for a new key it takes the place of the
   * smallest and inherits its sum, so that a sum is never too small, and too large by no more than
   * the error that stands beside it. A key with more than 1/capacity of everything is always there.
   */

  /**
   * A key and its sum.
   *
   * @param error by how much the sum may be too large
   */
  record Entry<K>(K key, long sum, long error) {}

  private static final class Counter {
    long sum;
    long error;
  }

  private final int capacity;
  private final Map<K, Counter> counters = new HashMap<>();

  TopCounts(int capacity) {
    this.capacity = capacity;
  }

  synchronized void add(K key, long amount) {
    Counter counter = counters.get(key);
    if (counter == null) {
      counter = new Counter();
      if (counters.size() == capacity) {
        counter.error = removeSmallest();
        counter.sum = counter.error;
      }
      counters.put(key, counter);
    }
    counter.sum += amount;
  }

  private long removeSmallest() {
    K smallest = null;
    long least = Long.MAX_VALUE;
    for (var entry : counters.entrySet()) {
      if (entry.getValue().sum < least) {
        least = entry.getValue().sum;
        smallest = entry.getKey();
      }
    }
    counters.remove(smallest);
    return least;
  }

  /** The largest sums, the largest first. */
  synchronized List<Entry<K>> top(int count) {
    var entries = new ArrayList<Entry<K>>();
    counters.forEach((key, counter) -> entries.add(new Entry<>(key, counter.sum, counter.error)));
    entries.sort(Comparator.comparingLong((Entry<K> entry) -> entry.sum).reversed());
    return List.copyOf(entries.subList(0, Math.min(count, entries.size())));
  }

  synchronized void clear() {
    counters.clear();
  }
}
