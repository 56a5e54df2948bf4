package dev.orrery.server.throughput;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The keys with the largest sums out of any number of keys, in bounded memory. Thread-safe.
 *
 * @param <K> what is counted
 */
public final class TopCounts<K> {
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
   * @param window what came in the last minute; null when that is not kept
   */
  public record Entry<K>(K key, long sum, long error, @Nullable UnitWindow window) {}

  private static final class Counter<K> {
    final K key;
    long sum;
    long error;
    @Nullable UnitWindow window;
    int place;

    Counter(K key) {
      this.key = key;
    }
  }

  private final int capacity;
  private final boolean hasWindows;
  private final Map<K, Counter<K>> counters = new HashMap<>();

  /** A heap with the smallest sum in front: a stream of new keys replaces it again and again. */
  private final List<Counter<K>> smallestFirst = new ArrayList<>();

  private long total;

  public TopCounts(int capacity) {
    this(capacity, false);
  }

  private TopCounts(int capacity, boolean hasWindows) {
    this.capacity = capacity;
    this.hasWindows = hasWindows;
  }

  /** Also tells what came in each of the last sixty seconds. */
  static <K> TopCounts<K> withWindows(int capacity) {
    return new TopCounts<>(capacity, true);
  }

  public void add(K key, long amount) {
    add(key, new Metering.Cost(amount, 1), 0, UnaryOperator.identity());
  }

  /**
   * @param kept makes the key that is kept if it is not known yet
   */
  public void add(K key, long amount, UnaryOperator<K> kept) {
    add(key, new Metering.Cost(amount, 1), 0, kept);
  }

  /**
   * @param second when it came
   * @param kept makes the key that is kept if it is not known yet
   */
  synchronized void add(K key, Metering.Cost cost, long second, UnaryOperator<K> kept) {
    Counter<K> counter = counters.get(key);
    if (counter == null) {
      counter = enter(kept.apply(key));
    }
    long amount = cost.twentyFirsts() * cost.weight();
    counter.sum += amount;
    total += amount;
    if (counter.window != null) {
      counter.window.add(second, amount, cost.weight());
    }
    moveBack(counter);
  }

  private Counter<K> enter(K key) {
    var counter = new Counter<>(key);
    counter.window = hasWindows ? new UnitWindow() : null;
    counters.put(key, counter);
    if (smallestFirst.size() < capacity) {
      smallestFirst.add(counter);
      moveToFront(counter);
      return counter;
    }
    Counter<K> smallest = smallestFirst.get(0);
    counters.remove(smallest.key);
    counter.sum = smallest.sum;
    counter.error = smallest.sum;
    put(counter, 0);
    return counter;
  }

  /** Its sum is 0, which is smaller than or equal to all others. */
  private void moveToFront(Counter<K> counter) {
    int place = smallestFirst.size() - 1;
    while (place > 0) {
      int parent = (place - 1) / 2;
      put(smallestFirst.get(parent), place);
      place = parent;
    }
    put(counter, place);
  }

  /** Its sum has grown: those below it that are smaller now come before it. */
  private void moveBack(Counter<K> counter) {
    int place = counter.place;
    for (int child = smallerChild(place); child > 0; child = smallerChild(place)) {
      Counter<K> below = smallestFirst.get(child);
      if (below.sum >= counter.sum) {
        break;
      }
      put(below, place);
      place = child;
    }
    put(counter, place);
  }

  /** 0 when there is no child. */
  private int smallerChild(int place) {
    int left = 2 * place + 1;
    int right = left + 1;
    if (right < smallestFirst.size()
        && smallestFirst.get(right).sum < smallestFirst.get(left).sum) {
      return right;
    }
    return left < smallestFirst.size() ? left : 0;
  }

  private void put(Counter<K> counter, int place) {
    smallestFirst.set(place, counter);
    counter.place = place;
  }

  /** The largest sums, the largest first. */
  public synchronized List<Entry<K>> top(int count) {
    var entries = new ArrayList<Entry<K>>();
    counters.forEach(
        (key, counter) ->
            entries.add(new Entry<>(key, counter.sum, counter.error, counter.window)));
    entries.sort(Comparator.comparingLong((Entry<K> entry) -> entry.sum).reversed());
    return List.copyOf(entries.subList(0, Math.min(count, entries.size())));
  }

  /** The sum of a key that is among the largest, without what may be too much; 0 for others. */
  public synchronized long certain(K key) {
    Counter<K> counter = counters.get(key);
    return counter == null ? 0 : counter.sum - counter.error;
  }

  /** The sum of everything. */
  public synchronized long total() {
    return total;
  }
}
