package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What all requests cost, limited or not: by collection, partition and partition key, by command,
 * application and comment. Thread-safe.
 */
public final class Metering {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final int NAMES_MAX = 100;
  private static final int EXACT_REQUESTS_PER_SECOND = 100;
  private static final int EXACT_DOCUMENTS_PER_SECOND = 1000;

  /** How far back the report can look, second by second. */
  public static final int WINDOW_SECONDS_MAX = UnitWindow.SECONDS;

  private final boolean isOn;
  private final Governor governor;
  private final LongSupplier nanoClock;
  private final Map<UUID, CollectionTotals> collections = new ConcurrentHashMap<>();
  private final TopCounts<String> commands = TopCounts.withWindows(NAMES_MAX);
  private final TopCounts<String> applications = TopCounts.withWindows(NAMES_MAX);
  private final TopCounts<String> comments = TopCounts.withWindows(NAMES_MAX);
  private final TopCounts<CommandShape> shapes = TopCounts.withWindows(NAMES_MAX);
  private final AtomicLong activities = new AtomicLong();
  private final AtomicLong checkedSecond;
  private final Sampling requests = new Sampling(EXACT_REQUESTS_PER_SECOND);
  private final Sampling documents = new Sampling(EXACT_DOCUMENTS_PER_SECOND);
  private final HotSpots hotSpots = new HotSpots();
  private volatile @Nullable UsageLog usage;
  private volatile Throttling throttling = Throttling.NONE;

  public Metering(Governor governor, LongSupplier nanoClock) {
    this(governor, nanoClock, true);
  }

  private Metering(Governor governor, LongSupplier nanoClock, boolean isOn) {
    this.isOn = isOn;
    this.governor = governor;
    this.nanoClock = nanoClock;
    this.checkedSecond = new AtomicLong(second());
  }

  /** Counts, and limits nothing. */
  public static Metering unlimited() {
    return new Metering(
        new Governor(database -> Throughput.NONE, Provisioning.EXTENDED, () -> 0), () -> 0);
  }

  /** Neither counts nor limits, to measure what counting costs. */
  public static Metering off() {
    return new Metering(
        new Governor(database -> Throughput.NONE, Provisioning.EXTENDED, () -> 0), () -> 0, false);
  }

  /**
   * Where a request came from.
   *
   * @param application the name that the client gave itself, or null
   * @param comment null when there is none
   * @param statement the first of the statements beside the body, or null
   */
  public record Origin(
      String command,
      @Nullable String application,
      @Nullable String comment,
      RawDocument body,
      @Nullable RawDocument statement) {}

  /**
   * The work of a request that begins.
   *
   * @param nowNanos of the clock that the budgets go by
   */
  public OperationWork start(long nowNanos) {
    return new OperationWork(this, nowNanos);
  }

  int weight(long nowNanos) {
    return isOn ? requests.weight(second(nowNanos)) : 0;
  }

  /** How many written documents the next one stands for in statistics by partition key. */
  int documentWeight(long nowNanos) {
    return documents.weight(second(nowNanos));
  }

  /** Counts a request that ended, cost something, and has a weight. */
  public void finish(OperationWork work, Origin origin) {
    var cost = new Cost(work.charge().twentyFirsts(), work.weight());
    long second = second();
    add(commands, origin.command, cost, second);
    add(applications, origin.application, cost, second);
    add(comments, origin.comment, cost, second);
    CommandShape shape = CommandShape.of(origin.body, origin.statement);
    shapes.add(shape, cost, second, same -> same.described(origin.body, origin.statement));
    UsageLog log = usage;
    if (log != null) {
      log.add(work.uses(), shape, origin);
    }
    checkOnceAMinute(second);
  }

  /** What a request cost, and how many it stands for. */
  record Cost(long twentyFirsts, int weight) {}

  private static void add(TopCounts<String> counts, @Nullable String name, Cost cost, long second) {
    if (name != null) {
      counts.add(name, cost, second, UnaryOperator.identity());
    }
  }

  public Governor governor() {
    return governor;
  }

  /** Lets somebody refuse requests for which there are units. */
  public void throttledBy(Throttling by) {
    throttling = by;
  }

  Throttling throttling() {
    return throttling;
  }

  /** Lets somebody keep what requests spent, by partition, key and shape. */
  public void observedBy(UsageLog log) {
    usage = log;
  }

  boolean isObserved() {
    return usage != null;
  }

  boolean isOn() {
    return isOn;
  }

  long nextActivity() {
    return activities.incrementAndGet();
  }

  void charge(CollectionStore collection, int partition, RequestCharge charge) {
    governor.charge(collection, partition, charge);
    count(collection, partition, nanoClock.getAsLong(), charge);
  }

  /** Counts a charge that its budget knows of already. */
  void count(CollectionStore collection, int partition, long nowNanos, RequestCharge charge) {
    totals(collection).add(partition, second(nowNanos), charge);
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
    return totals != null ? totals : begin(collection, info);
  }

  private CollectionTotals begin(CollectionStore collection, CollectionInfo info) {
    return collections.computeIfAbsent(info.uuid(), absent -> new CollectionTotals(collection));
  }

  private static long second(long nanos) {
    return Math.floorDiv(nanos, NANOS_PER_SECOND);
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

  /** The number of the second that goes on, by the clock that the budgets go by. */
  public long second() {
    return second(nanoClock.getAsLong());
  }

  /** Is told what partitions spent. */
  public interface Visitor {
    /**
     * @param requests and {@code refused} since the start
     */
    void spent(int partition, RequestCharge charge, long requests, long refused);
  }

  /** Collections that ever spent anything and still exist. */
  public List<CollectionStore> spenders() {
    return collections.values().stream()
        .map(CollectionTotals::collection)
        .filter(collection -> collection != null && collection.exists())
        .toList();
  }

  /** Tells what each partition of a collection spent in one of the last sixty seconds. */
  public void spentIn(long second, CollectionStore collection, Visitor visitor) {
    visit(collection, visitor, window -> window.in(second));
  }

  /** Tells what each partition of a collection spent since the start. */
  public void spent(CollectionStore collection, Visitor visitor) {
    visit(collection, visitor, UnitWindow::total);
  }

  private void visit(
      CollectionStore collection, Visitor visitor, ToLongFunction<UnitWindow> amount) {
    CollectionTotals totals = collections.get(collection.info().uuid());
    if (totals != null) {
      totals
          .partitions()
          .forEach(
              (id, window) ->
                  visitor.spent(
                      id,
                      new RequestCharge(amount.applyAsLong(window)),
                      window.requests(),
                      totals.refused(id)));
    }
  }

  /**
   * What one collection's requests cost, for {@code ruStatistics}.
   *
   * @param seconds the window to look at: so many of the last seconds
   */
  public BsonDocument report(CollectionStore collection, int seconds) {
    return new UnitReport(governor, second(), seconds).of(collection, totals(collection));
  }

  /** What the requests of all collections cost: by command, shape, application and comment. */
  public BsonDocument reportOrigins(int seconds) {
    var report = new UnitReport(governor, second(), seconds);
    return new BsonDocument("commands", report.sums(commands, name -> name))
        .append("shapes", report.sums(shapes, CommandShape::text))
        .append("applications", report.sums(applications, name -> name))
        .append("comments", report.sums(comments, name -> name));
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
