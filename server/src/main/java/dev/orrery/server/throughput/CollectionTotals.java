package dev.orrery.server.throughput;

import dev.orrery.storage.Namespace;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What one collection's requests cost: in all, by partition, and by partition key. */
final class CollectionTotals {
  private static final int KEYS_MAX = 100;

  private final Namespace namespace;
  private final BooleanSupplier exists;
  private final Map<Integer, UnitWindow> partitions = new ConcurrentHashMap<>();
  private final TopCounts<PartitionKeyValue> keys = new TopCounts<>(KEYS_MAX);

  /** Emptied every minute, for hot keys. */
  private final TopCounts<PartitionKeyValue> recentKeys = new TopCounts<>(KEYS_MAX);

  private final Map<Integer, LongAdder> refused = new ConcurrentHashMap<>();

  /**
   * @param exists false once the collection was dropped
   */
  CollectionTotals(Namespace namespace, BooleanSupplier exists) {
    this.namespace = namespace;
    this.exists = exists;
  }

  boolean isObsolete() {
    return !exists.getAsBoolean();
  }

  Namespace namespace() {
    return namespace;
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

  TopCounts<PartitionKeyValue> recentKeys() {
    return recentKeys;
  }
}
