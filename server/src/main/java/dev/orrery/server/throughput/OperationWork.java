package dev.orrery.server.throughput;

import dev.orrery.server.plan.Targets;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.partition.PartitionIds;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The work of one request: asks before it is done whether there are units for it, and pays when it
 * is done. Belongs to one request.
 */
public final class OperationWork {
  /** A duplicate key is found by reading. */
  private static final RequestCharge REFUSED_WRITE = RequestUnits.pointRead(0);

  private static final RequestCharge ASKED =
      RequestUnits.query(new RequestUnits.QueryWork(1, 0, 0, 0));

  private static final long TERM = 4;

  /** A request with more reads than this pays before its end. */
  private static final int OWED_MAX = 100;

  private final Metering metering;
  // Of one thread at a time; currentOp looks on, and may see them late.
  private long twentyFirsts;
  private int partitionsVisited;
  private int refusals;
  private @Nullable CollectionStore visitedCollection;
  private int visitedPartition;
  private @Nullable PartitionIds visited; // made when there is a second one
  private final long startNanos;
  private final int weight;
  private @Nullable PartitionKeyValue key;
  private @Nullable RawValue lookupKey;
  private @Nullable Budget lookupBudget;
  private @Nullable List<MeteredRead> owed;
  private @Nullable List<UsageLog.Use> uses; // kept only for those who look on
  private long documentsReturned;
  private long documentsLookedUp;

  OperationWork(Metering metering, long startNanos) {
    this.metering = metering;
    this.startNanos = startNanos;
    this.weight = metering.weight(startNanos);
  }

  /** When the request began, by the clock that the budgets go by. */
  public long startNanos() {
    return startNanos;
  }

  /** How many requests this one stands for in statistics by name; 0 when it is not looked at. */
  public int weight() {
    return weight;
  }

  /** What the request cost so far. */
  public RequestCharge charge() {
    return new RequestCharge(twentyFirsts);
  }

  /** How often it, or one of its statements, was refused for its rate. */
  public int refusals() {
    return refusals;
  }

  /** Whether it, or a part of it, was refused for want of request units. */
  public boolean isRefused() {
    return refusals > 0;
  }

  /** How many documents it gave to its client. */
  public long documentsReturned() {
    return documentsReturned;
  }

  /** How many documents it read by their primary key, without a plan. */
  public long documentsLookedUp() {
    return documentsLookedUp;
  }

  /** Where it spent what, as far as that is looked at. */
  List<UsageLog.Use> uses() {
    return uses == null ? List.of() : uses;
  }

  /** How many physical partitions it asked so far. */
  public int partitionsVisited() {
    return partitionsVisited;
  }

  /** Whether requests to that collection can be refused for what they cost. */
  public boolean isLimited(CollectionStore collection) {
    return metering.governor().limits(collection) || metering.throttling().isOn();
  }

  /** Refuses a command that reads what matches, when a partition it would ask is in debt. */
  public void admit(Targets targets) {
    if (!metering.isOn()) {
      return;
    }
    CollectionStore collection = targets.collection();
    if (collection.info().isView()) {
      return;
    }
    if (collection.info().partitionKey() == null && !isLimited(collection)) {
      return;
    }
    key = key(targets);
    long wait = wait(targets);
    if (wait > 0) {
      throw RateLimit.ofCommand(wait, metering.nextActivity());
    }
  }

  /** The same for a collection that a command reads besides its own. */
  public void admitBeside(Targets targets) {
    if (metering.isOn() && !targets.collection().info().isView()) {
      long wait = wait(targets);
      if (wait > 0) {
        throw RateLimit.ofCommand(wait, metering.nextActivity());
      }
    }
  }

  /**
   * The same for a command that reads one document by its primary key.
   *
   * @param partitionKey null in a collection without one
   */
  public void admitLookup(
      CollectionStore collection, PartitionStore partition, @Nullable RawValue partitionKey) {
    if (!metering.isOn()) {
      return;
    }
    lookupKey = partitionKey;
    lookupBudget = metering.governor().find(collection, partition.id());
    long wait = lookupBudget == null ? 0 : lookupBudget.millisToWait(startNanos);
    if (metering.throttling().isOn()) {
      wait = Math.max(wait, ordered(collection, List.of(partition), partitionKey));
    }
    if (wait > 0) {
      refusals++;
      metering.refuse(collection, List.of(partition));
      throw RateLimit.ofCommand(wait, metering.nextActivity());
    }
  }

  /** Pays for a read by primary key, whether it found its document or not. */
  public void lookedUp(CollectionStore collection, PartitionStore partition, WorkMeter meter) {
    if (!metering.isOn()) {
      return;
    }
    RequestCharge charge = ofRead(RequestUnits.pointRead(meter.bytesLoaded()));
    twentyFirsts += charge.twentyFirsts();
    partitionsVisited = 1;
    documentsLookedUp += meter.documentsLoaded();
    documentsReturned += meter.documentsLoaded();
    if (lookupBudget != null) {
      lookupBudget.charge(charge, startNanos);
    }
    metering.count(collection, partition.id(), startNanos, charge);
    PartitionKeyValue read = null;
    if (lookupKey != null && weight > 0) {
      read = PartitionKeyValue.of(lookupKey);
      metering.chargeKey(collection, read, charge.times(weight));
    }
    note(collection, partition.id(), read, charge.twentyFirsts() * weight);
  }

  /** The same for the next batch of a read. */
  public void admit(MeteredRead read) {
    if (!metering.isOn()) {
      return;
    }
    requireUnits(read);
    read.others().forEach(this::requireUnits);
    key = read.key();
  }

  private void requireUnits(MeteredRead read) {
    CollectionStore collection = read.collection();
    if (collection == null || !isLimited(collection)) {
      return;
    }
    PartitionIds asked = read.partitions();
    long wait =
        wait(
            collection,
            collection.partitions().stream().filter(one -> asked.contains(one.id())).toList(),
            null);
    if (wait > 0) {
      throw RateLimit.ofCommand(wait, metering.nextActivity());
    }
  }

  /** Refuses one of several updates or deletions. */
  public void admitStatement(Targets targets) {
    if (!metering.isOn()) {
      return;
    }
    key = key(targets);
    requireItem(wait(targets));
  }

  private static @Nullable PartitionKeyValue key(Targets targets) {
    RawValue value = targets.key();
    return value == null ? null : PartitionKeyValue.of(value);
  }

  /** Refuses one of several new documents. */
  public void admitInsert(WriteOperation.Insert insert) {
    if (!metering.isOn()) {
      return;
    }
    CollectionStore collection = insert.collection();
    if (isLimited(collection)) {
      boolean isWanted = metering.throttling().isOn(); // budgets need not look for it
      RawValue value = isWanted ? collection.partitionKeyOf(insert.document()) : null;
      requireItem(wait(collection, List.of(collection.ownerOf(insert.key())), value));
    }
  }

  private static void requireItem(long wait) {
    if (wait > 0) {
      throw RateLimit.ofItem(wait);
    }
  }

  /** Where nothing is limited nobody needs to know the partitions. */
  private long wait(Targets targets) {
    CollectionStore collection = targets.collection();
    return isLimited(collection) ? wait(collection, targets.partitions(), targets.key()) : 0;
  }

  /** What somebody ordered that the request must wait. */
  private long ordered(
      CollectionStore collection, List<PartitionStore> partitions, @Nullable RawValue value) {
    return metering.throttling().millisToWait(collection, partitions, value);
  }

  private long wait(
      CollectionStore collection, List<PartitionStore> partitions, @Nullable RawValue value) {
    if (!isLimited(collection)) {
      return 0;
    }
    long wait = metering.governor().millisToWait(collection, partitions);
    if (metering.throttling().isOn()) {
      wait = Math.max(wait, ordered(collection, partitions, value));
    }
    if (wait > 0) {
      refusals++;
      metering.refuse(collection, partitions);
    }
    return wait;
  }

  /** Pays for the documents that one batch loaded and returned. */
  public void read(MeteredRead read, List<RawDocument> batch) {
    if (!metering.isOn()) {
      return;
    }
    read.target(key);
    documentsReturned += batch.size();
    pay(read, read.partitions(), read.next(batch));
    for (MeteredRead other : read.others()) {
      key = null; // no foreign documents belong to the key that was asked for
      pay(other, other.partitions(), other.next(0, 0));
    }
    key = read.key();
  }

  /** Pays for asking every partition something that it knows without reading documents. */
  public void asked(CollectionStore collection) {
    if (!metering.isOn()) {
      return;
    }
    RequestCharge asked = ofRead(ASKED);
    for (PartitionStore partition : collection.partitions()) {
      pay(collection, partition.id(), asked);
    }
    long all = asked.twentyFirsts() * collection.partitions().size();
    note(collection, UsageLog.FAN_OUT, null, all * weight);
  }

  /** A read that returns nothing, but counts documents or finds those to be written. */
  public MeteredRead owe(MeteredRead read) {
    if (!metering.isOn()) {
      return read;
    }
    if (owed == null) {
      owed = new ArrayList<>(1);
    } else if (owed.size() == OWED_MAX) {
      settle();
    }
    read.target(key);
    owed.add(read);
    return read;
  }

  /** Pays for what is owed, at the end of the request. */
  public void settle() {
    if (owed == null) {
      return;
    }
    for (MeteredRead read : owed) {
      key = read.key();
      pay(read, read.partitions(), read.next(0, 0));
    }
    owed.clear();
  }

  /** The partitions share the price evenly; the first takes what is left over. */
  private void pay(MeteredRead read, PartitionIds partitions, RequestCharge price) {
    RequestCharge charge = ofRead(price);
    int count = Math.max(1, partitions.size());
    long part = charge.twentyFirsts() / count;
    var rest = new long[] {charge.twentyFirsts() - part * count};
    var last = new int[] {UsageLog.FAN_OUT};
    partitions.forEach(
        id -> {
          pay(read.collection(), id, new RequestCharge(part + rest[0]));
          rest[0] = 0;
          last[0] = id;
        });
    if (key != null && weight > 0) {
      metering.chargeKey(read.collection(), key, charge.times(weight));
    }
    int place = partitions.size() == 1 ? last[0] : UsageLog.FAN_OUT;
    note(read.collection(), place, key, charge.twentyFirsts() * weight);
  }

  private RequestCharge ofRead(RequestCharge price) {
    return metering.governor().rules().ofRead(price);
  }

  /** Remembers for those who look on where something was spent. */
  private void note(
      CollectionStore collection,
      int partition,
      @Nullable PartitionKeyValue value,
      long twentyFirstsSpent) {
    if (weight == 0 || !metering.isObserved()) {
      return;
    }
    if (uses == null) {
      uses = new ArrayList<>(1);
    }
    if (uses.size() < UsageLog.USES_MAX) {
      uses.add(new UsageLog.Use(collection, partition, value, twentyFirstsSpent));
    }
  }

  /**
   * Pays for a batch of writes.
   *
   * @param terms how many index entries all of them added and removed
   */
  public void wrote(List<WriteOperation> operations, CommitResult result, long terms) {
    if (!metering.isOn()) {
      return;
    }
    List<WriteOutcome> outcomes = result.outcomes();
    int applied = 0;
    for (WriteOutcome outcome : outcomes) {
      applied += outcome.isApplied() ? 1 : 0;
    }
    long part = applied == 0 ? 0 : terms / applied;
    long rest = terms - part * applied;
    Bill bill = outcomes.size() == 1 ? null : new Bill();
    for (int i = 0; i < outcomes.size(); i++) {
      WriteOutcome outcome = outcomes.get(i);
      if (outcome.isApplied()) {
        WrittenDocument written = WrittenDocument.of(operations.get(i));
        RequestCharge charge = written.price().plus(new RequestCharge((part + rest) * TERM));
        pay(written.collection(), result.partitions()[i], charge, bill);
        chargeKey(written, result.partitions()[i], charge);
        rest = 0;
      } else if (outcome.status() == WriteOutcome.Status.DUPLICATE) {
        WrittenDocument refused = WrittenDocument.of(operations.get(i));
        pay(refused.collection(), result.partitions()[i], REFUSED_WRITE, bill);
      }
    }
    if (bill != null) {
      bill.pay();
    }
  }

  private void pay(
      CollectionStore collection, int partition, RequestCharge charge, @Nullable Bill bill) {
    if (bill == null) {
      pay(collection, partition, charge);
    } else {
      bill.add(collection, partition, charge);
    }
  }

  private void chargeKey(WrittenDocument written, int partition, RequestCharge charge) {
    if (weight == 0) {
      return;
    }
    if (written.collection().info().partitionKey() == null) {
      note(written.collection(), partition, null, charge.twentyFirsts() * weight);
      return;
    }
    int documents = metering.documentWeight(startNanos);
    if (documents > 0) {
      RequestCharge all = charge.times((long) weight * documents);
      metering.chargeKey(written.collection(), written.key(), all);
      note(written.collection(), partition, written.key(), all.twentyFirsts());
    }
  }

  /** Writes to one collection, of which those to the same partition are paid for together. */
  private final class Bill {
    private @Nullable CollectionStore collection;
    private final Map<Integer, Long> sums = new TreeMap<>(); // by partition

    void add(CollectionStore written, int partition, RequestCharge charge) {
      if (written != collection) {
        pay();
        collection = written;
      }
      sums.merge(partition, charge.twentyFirsts(), Long::sum);
    }

    void pay() {
      sums.forEach((id, sum) -> OperationWork.this.pay(collection, id, new RequestCharge(sum)));
      sums.clear();
    }
  }

  private void pay(CollectionStore collection, int partition, RequestCharge charge) {
    twentyFirsts += charge.twentyFirsts();
    visit(collection, partition);
    metering.charge(collection, partition, charge);
  }

  private void visit(CollectionStore collection, int partition) {
    if (visitedCollection != collection) { // one that is visited again counts again
      visitedCollection = collection;
      visitedPartition = partition;
      visited = null;
      partitionsVisited++;
    } else if (partition != visitedPartition && !(visited != null && visited.contains(partition))) {
      visited = visited == null ? new PartitionIds() : visited;
      visited.add(partition);
      partitionsVisited++;
    }
  }
}
