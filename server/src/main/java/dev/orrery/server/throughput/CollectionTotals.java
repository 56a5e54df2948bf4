package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one collection's requests cost: in all, by partition, and by partition key. */
final class CollectionTotals {
  private static final int KEYS_MAX = 100;

  private final Supplier<Namespace> namespace;
  private final BooleanSupplier exists;
  private final @Nullable CollectionStore collection;
  private final Map<Integer, UnitWindow> partitions = new ConcurrentHashMap<>();
  private final TopCounts<PartitionKeyValue> keys = new TopCounts<>(KEYS_MAX);

  /** Of the minute that goes on, and of the one before it, for hot keys. */
  private volatile TopCounts<PartitionKeyValue> recentKeys = new TopCounts<>(KEYS_MAX);

  private volatile TopCounts<PartitionKeyValue> earlierKeys = new TopCounts<>(KEYS_MAX);

  private final Map<Integer, LongAdder> refused = new ConcurrentHashMap<>();

  /**
   * @param exists false once the collection was dropped
   */
  CollectionTotals(Namespace namespace, BooleanSupplier exists) {
    this.namespace = () -> namespace;
    this.exists = exists;
    this.collection = null;
  }

  CollectionTotals(CollectionStore collection) {
    this.namespace = () -> collection.info().namespace();
    this.exists = collection::exists;
    this.collection = collection;
  }

  /** Whose totals these are; null in tests. */
  @Nullable CollectionStore collection() {
    return collection;
  }

  boolean isObsolete() {
    return !exists.getAsBoolean();
  }

  Namespace namespace() {
    return namespace.get();
  }

  void add(int partition, long second, RequestCharge charge) {
    UnitWindow window = partitions.get(partition);
    if (window == null) {
      window = partitions.computeIfAbsent(partition, absent -> new UnitWindow());
    }
    window.add(second, charge.twentyFirsts());
  }

  void addKey(@Nullable PartitionKeyValue key, RequestCharge charge) {
    if (key != null) {
      keys.add(key, charge.twentyFirsts());
      recentKeys.add(key, charge.twentyFirsts());
    }
  }

  void refuse(int partition) {
    refused.computeIfAbsent(partition, absent -> new LongAdder()).increment();
  }

  Map<Integer, UnitWindow> partitions() {
    return new TreeMap<>(partitions);
  }

  long refused(int partition) {
    LongAdder count = refused.get(partition);
    return count == null ? 0 : count.sum();
  }

  TopCounts<PartitionKeyValue> keys() {
    return keys;
  }

  /** Begins another minute. */
  void turn() {
    earlierKeys = recentKeys;
    recentKeys = new TopCounts<>(KEYS_MAX);
  }

  /**
   * The key that took most lately.
   *
   * @param share of all that was spent on keys
   */
  record HotKey(PartitionKeyValue key, double share) {}

  /** The key that took most in this minute and the one before it; null when there was none. */
  @Nullable HotKey hottestKey() {
    TopCounts<PartitionKeyValue> recent = recentKeys;
    TopCounts<PartitionKeyValue> earlier = earlierKeys;
    long total = recent.total() + earlier.total();
    HotKey hottest = null;
    for (TopCounts<PartitionKeyValue> counts : List.of(recent, earlier)) {
      for (TopCounts.Entry<PartitionKeyValue> top : counts.top(1)) {
        long spent = recent.certain(top.key()) + earlier.certain(top.key());
        double share = (double) spent / total;
        hottest = hottest == null || share > hottest.share ? new HotKey(top.key(), share) : hottest;
      }
    }
    return hottest;
  }
}
