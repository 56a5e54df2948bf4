package dev.orrery.server.transfer.analysis;

import dev.orrery.storage.partition.EffectivePartitionKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The keys with the most bytes, in bounded memory. Exact while there are few keys; beyond that
 * light ones are forgotten, and a key that is met again may have lost up to {@link Heavy#missed()}
 * bytes.
 */
public final class HeavyKeys {
  /** A key: how it looks, what it has, and how much may have been forgotten. */
  public record Heavy(String text, long documents, long bytes, long missed) {}

  private static final class Counter {
    private final String text;
    private final long missed;
    private long documents;
    private long bytes;

    Counter(String text, long missed) {
      this.text = text;
      this.missed = missed;
    }

    long most() {
      return bytes + missed;
    }
  }

  private final int capacity;
  private final Map<EffectivePartitionKey, Counter> counters = new HashMap<>();
  private long forgotten;

  public HeavyKeys(int capacity) {
    this.capacity = capacity;
  }

  public void add(EffectivePartitionKey key, long bytes, Supplier<String> text) {
    Counter counter = counters.get(key);
    if (counter == null) {
      if (counters.size() == 2 * capacity) {
        forgetLightOnes();
      }
      counter = new Counter(text.get(), forgotten);
      counters.put(key, counter);
    }
    counter.documents++;
    counter.bytes += bytes;
  }

  private void forgetLightOnes() {
    var sizes = new ArrayList<Long>(counters.size());
    counters.values().forEach(counter -> sizes.add(counter.most()));
    sizes.sort(Comparator.reverseOrder());
    long least = sizes.get(capacity);
    counters.values().removeIf(counter -> counter.most() <= least);
    forgotten = Math.max(forgotten, least);
  }

  public boolean isExact() {
    return forgotten == 0;
  }

  /** How many keys are remembered: all there are, if this is exact. */
  int size() {
    return counters.size();
  }

  /** The heaviest ones, most bytes first. */
  public List<Heavy> top(int count) {
    return counters.values().stream()
        .sorted(Comparator.comparingLong((Counter counter) -> counter.bytes).reversed())
        .limit(count)
        .map(counter -> new Heavy(counter.text, counter.documents, counter.bytes, counter.missed))
        .toList();
  }

  /** How many keys are larger than a limit, for certain. */
  public long countAbove(long bytes) {
    return counters.values().stream().filter(counter -> counter.bytes > bytes).count();
  }
}
