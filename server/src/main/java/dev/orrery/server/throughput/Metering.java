package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What all requests cost, limited or not: by collection, partition and partition key, by command,
 * application and comment. Thread-safe.
 */
public final class Metering {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final int NAMES_MAX = 100;

  private final Governor governor;
  private final LongSupplier nanoClock;
  private final Map<UUID, CollectionTotals> collections = new ConcurrentHashMap<>();
  private final TopCounts<String> commands = new TopCounts<>(NAMES_MAX);
  private final TopCounts<String> applications = new TopCounts<>(NAMES_MAX);
  private final TopCounts<String> comments = new TopCounts<>(NAMES_MAX);
  private final AtomicLong activities = new AtomicLong();
  private final AtomicLong checkedSecond;
  private final HotSpots hotSpots = new HotSpots();

  public Metering(Governor governor, LongSupplier nanoClock) {
    this.governor = governor;
    this.nanoClock = nanoClock;
    this.checkedSecond = new AtomicLong(second());
  }

  /** Counts, and limits nothing. */
  public static Metering unlimited() {
    return new Metering(
        new Governor(database -> Throughput.NONE, Provisioning.EXTENDED, () -> 0), () -> 0);
  }

  /**
   * Where a request came from.
   *
   * @param application the name that the client gave itself, or null
   * @param comment null when there is none
   */
  public record Origin(String command, @Nullable String application, @Nullable String comment) {}

  /** The work of a request that begins. */
  public OperationWork start() {
    return new OperationWork(this);
  }

  /** Counts a request that ended and cost something. */
  public void finish(OperationWork work, Origin origin) {
    long cost = work.charge().twentyFirsts();
    commands.add(origin.command, cost);
    if (origin.application != null) {
      applications.add(origin.application, cost);
    }
    if (origin.comment != null) {
      comments.add(origin.comment, cost);
    }
    checkOnceAMinute(work.second());
  }

  public Governor governor() {
    return governor;
  }

  long nextActivity() {
    return activities.incrementAndGet();
  }

  /** Returns the second in which the charge is counted. */
  long charge(CollectionStore collection, int partition, RequestCharge charge) {
    governor.charge(collection, partition, charge);
    long now = second();
    totals(collection).add(partition, now, charge);
    return now;
  }

  void chargeKey(CollectionStore collection, PartitionKeyValue key, RequestCharge charge) {
    totals(collection).addKey(key, charge);
  }

  void refuse(CollectionStore collection, List<PartitionStore> partitions) {
    CollectionTotals totals = totals(collection);
    partitions.forEach(partition -> totals.refuse(partition.id()));
    checkOnceAMinute(second());
  }

  private CollectionTotals totals(CollectionStore collection) {
    CollectionInfo info = collection.info();
    CollectionTotals totals = collections.get(info.uuid());
    return totals != null
        ? totals
        : collections.computeIfAbsent(
            info.uuid(), absent -> new CollectionTotals(info.namespace(), collection::exists));
  }

  private long second() {
    return Math.floorDiv(nanoClock.getAsLong(), NANOS_PER_SECOND);
  }

  /**
   * Request units per second that an offer stands at: all of a manual one; with autoscale what the
   * busiest partition used in the last whole second, if all did so, between a tenth and all.
   */
  public long provisionedNow(CollectionStore collection, Throughput throughput) {
    long busiest = 0;
    for (UnitWindow window : totals(collection).partitions().values()) {
      busiest = Math.max(busiest, window.in(second() - 1));
    }
    long used = busiest * collection.partitions().size() / RequestCharge.UNIT;
    return Math.max(throughput.floor(), Math.min(throughput.unitsPerSecond(), used));
  }

  /** What one collection's requests cost, for {@code ruStatistics}. */
  public BsonDocument report(CollectionStore collection) {
    return new UnitReport(governor, second()).of(collection, totals(collection));
  }

  /** What the requests of all collections cost: by command, application and comment. */
  public BsonDocument reportOrigins() {
    return new BsonDocument("commands", UnitReport.sums(commands))
        .append("applications", UnitReport.sums(applications))
        .append("comments", UnitReport.sums(comments));
  }

  private void checkOnceAMinute(long now) {
    long last = checkedSecond.get();
    if (now - last >= UnitWindow.SECONDS && checkedSecond.compareAndSet(last, now)) {
      collections.values().removeIf(CollectionTotals::isObsolete);
      governor.retain(collections.keySet());
      collections.values().forEach(totals -> hotSpots.log(totals, now));
    }
  }
}
