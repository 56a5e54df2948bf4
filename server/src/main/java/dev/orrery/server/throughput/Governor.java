package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.partition.PartitionMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests within what was provisioned: one {@link Budget} for each physical partition of a
 * collection, or of a database whose collections share. Follows changes of throughput and splits by
 * itself. Thread-safe.
 */
public final class Governor {
  private final Function<String, Throughput> databases;
  private final Provisioning provisioning;
  private final LongSupplier nanoClock;
  private final Map<UUID, Budgets> dedicated = new ConcurrentHashMap<>();
  private final Map<String, SharedBudgets> shared = new ConcurrentHashMap<>();

  /**
   * @param databases the throughput that a database's collections share, or none
   */
  public Governor(
      Function<String, Throughput> databases, Provisioning provisioning, LongSupplier nanoClock) {
    this.databases = databases;
    this.provisioning = provisioning;
    this.nanoClock = nanoClock;
  }

  CosmosRules rules() {
    return provisioning.rules();
  }

  /** The budgets of one collection's partitions, as of one description of it. */
  private record Budgets(
      BsonDocument throughput, PartitionMap partitions, Map<Integer, Budget> byPartition) {
    boolean describes(CollectionInfo info) {
      return throughput == info.throughput() && partitions == info.partitions();
    }
  }

  /** The budgets of one database: equal parts of the key space, whatever the collection. */
  private record SharedBudgets(Throughput throughput, List<Budget> parts) {}

  /** Whether anything limits requests to that collection. */
  public boolean limits(CollectionStore collection) {
    CollectionInfo info = collection.info();
    return !info.throughput().isEmpty()
        || databases.apply(info.namespace().database()).isProvisioned();
  }

  /** The budget of a partition; null when nothing limits requests to it. */
  @Nullable Budget find(CollectionStore collection, int partition) {
    return budget(collection.info(), partition);
  }

  /** What a request that would touch those partitions must wait: 0 if it may run now. */
  public long millisToWait(CollectionStore collection, Iterable<PartitionStore> partitions) {
    long now = nanoClock.getAsLong();
    long wait = 0;
    for (PartitionStore partition : partitions) {
      Budget budget = budget(collection.info(), partition.id());
      wait = Math.max(wait, budget == null ? 0 : budget.millisToWait(now));
    }
    return wait;
  }

  /** Takes the price of work that was done in one partition. */
  public void charge(CollectionStore collection, int partition, RequestCharge charge) {
    if (limits(collection)) {
      Budget budget = budget(collection.info(), partition);
      if (budget != null) {
        budget.charge(charge, nanoClock.getAsLong());
      }
    }
  }

  /** Forgets all collections but these; one that never spent anything begins anew. */
  void retain(Set<UUID> collections) {
    dedicated.keySet().retainAll(collections);
  }

  /** What a partition has to spend; null when nothing limits it. */
  public @Nullable Double balance(CollectionStore collection, int partition) {
    Budget budget = budget(collection.info(), partition);
    return budget == null ? null : budget.balance(nanoClock.getAsLong());
  }

  /** Request units per second that a partition may spend; null when nothing limits it. */
  public @Nullable Long rate(CollectionStore collection, int partition) {
    Budget budget = budget(collection.info(), partition);
    return budget == null ? null : budget.rate();
  }

  private @Nullable Budget budget(CollectionInfo info, int partition) {
    if (!info.throughput().isEmpty()) {
      return find(dedicated(info).byPartition, info.partitions(), partition);
    }
    Throughput common = databases.apply(info.namespace().database());
    return common.isProvisioned() ? ofDatabase(info, common, partition) : null;
  }

  /** The budget of a partition, or of one that came out of it by a split. */
  private static @Nullable Budget find(
      Map<Integer, Budget> budgets, PartitionMap map, int partition) {
    Budget own = budgets.get(partition);
    if (own != null) {
      return own;
    }
    for (PartitionMap.Entry entry : map.entries()) {
      if (entry.parents().contains(partition)) {
        return budgets.get(entry.id());
      }
    }
    return null;
  }

  private Budgets dedicated(CollectionInfo info) {
    Budgets present = dedicated.get(info.uuid());
    if (present != null && present.describes(info)) {
      return present;
    }
    return dedicated.compute(
        info.uuid(), (uuid, old) -> old != null && old.describes(info) ? old : budgets(info, old));
  }

  private Budgets budgets(CollectionInfo info, @Nullable Budgets old) {
    long now = nanoClock.getAsLong();
    Map<Integer, Long> rates =
        rates(Throughput.fromBson(info.throughput()), info.partitions(), provisioning);
    var budgets = new HashMap<Integer, Budget>();
    rates.forEach(
        (partition, rate) -> {
          Budget kept = old == null ? null : old.byPartition.get(partition);
          if (kept == null) {
            budgets.put(partition, inherited(old, info.partitions(), rates, partition));
          } else {
            kept.setRate(rate, now);
            budgets.put(partition, kept);
          }
        });
    return new Budgets(info.throughput(), info.partitions(), budgets);
  }

  /**
   * The budget of a new partition. What its parents had or owed goes to their children in
   * proportion to their rates: neither a split nor a merge makes units.
   */
  private Budget inherited(
      @Nullable Budgets old, PartitionMap map, Map<Integer, Long> rates, int partition) {
    long now = nanoClock.getAsLong();
    var budget = new Budget(rates.get(partition), provisioning.rules()::hasBurst, now);
    PartitionMap.Entry entry = map.find(partition);
    if (old == null || old.byPartition.keySet().stream().noneMatch(entry.parents()::contains)) {
      return budget;
    }
    double balance = 0;
    for (int parent : entry.parents()) {
      Budget spent = old.byPartition.get(parent);
      if (spent != null) {
        long all =
            map.entries().stream()
                .filter(one -> one.parents().contains(parent))
                .mapToLong(one -> rates.get(one.id()))
                .sum();
        balance += spent.balance(now) * rates.get(partition) / all;
      }
    }
    budget.setBalance(balance);
    return budget;
  }

  /** Request units per second by partition: its own share, or an equal part of what is left. */
  public static Map<Integer, Long> rates(
      Throughput throughput, PartitionMap partitions, Provisioning provisioning) {
    long rest = throughput.unitsPerSecond();
    int sharing = 0;
    for (PartitionMap.Entry entry : partitions.entries()) {
      Long share = throughput.shares().get(entry.id());
      rest -= share == null ? 0 : share;
      sharing += share == null ? 1 : 0;
    }
    long most = sharing == 0 ? 0 : Math.min(rest / sharing, provisioning.partitionUnits());
    long even = Math.max(1, most);
    var rates = new HashMap<Integer, Long>();
    for (PartitionMap.Entry entry : partitions.entries()) {
      Long share = throughput.shares().get(entry.id());
      rates.put(entry.id(), share != null ? Math.min(share, provisioning.partitionUnits()) : even);
    }
    return rates;
  }

  private Budget ofDatabase(CollectionInfo info, Throughput common, int partition) {
    List<Budget> parts = sharedBudgets(info.namespace().database(), common).parts;
    if (parts.size() == 1) {
      return parts.get(0);
    }
    for (PartitionMap.Entry entry : info.partitions().entries()) {
      if (entry.id() == partition || entry.parents().contains(partition)) {
        return parts.get(part(entry.range().minInclusive(), parts.size()));
      }
    }
    return parts.get(0);
  }

  /** In which of the equal parts of the key space a range begins. */
  private static int part(String minInclusive, int parts) {
    if (minInclusive.isEmpty()) {
      return 0;
    }
    // One more than the boundary: even boundaries are rounded down.
    long start = Long.parseLong(minInclusive.substring(0, 8), 16) + 1;
    return (int) Math.min(parts - 1L, start * parts >>> 30);
  }

  private SharedBudgets sharedBudgets(String database, Throughput common) {
    SharedBudgets present = shared.get(database);
    if (present != null && present.throughput.equals(common)) {
      return present;
    }
    return shared.compute(
        database,
        (name, old) ->
            old != null && old.throughput.equals(common) ? old : sharedBudgets(common, old));
  }

  private SharedBudgets sharedBudgets(Throughput common, @Nullable SharedBudgets old) {
    long now = nanoClock.getAsLong();
    int count = common.partitions(provisioning.partitionUnits());
    long rate = common.unitsPerSecond() / count;
    if (old != null && old.parts.size() == count) {
      old.parts.forEach(budget -> budget.setRate(rate, now));
      return new SharedBudgets(common, old.parts);
    }
    var parts = new Budget[count];
    for (int i = 0; i < count; i++) {
      parts[i] = new Budget(rate, provisioning.rules()::hasBurst, now);
    }
    return new SharedBudgets(common, List.of(parts));
  }
}
