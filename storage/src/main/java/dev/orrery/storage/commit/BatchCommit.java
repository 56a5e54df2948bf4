package dev.orrery.storage.commit;

import dev.orrery.lane.Lane;
import dev.orrery.lane.WouldWaitException;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.log.Appended;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.RecordGroup;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Flight;
import dev.orrery.storage.physical.Garbage;
import dev.orrery.storage.physical.History;
import dev.orrery.storage.physical.IndexWriter;
import dev.orrery.storage.physical.PendingWrite;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.physical.TreeInserts;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Commits one batch: works out what it changes, locks the partitions it touches, checks the
 * preconditions, appends one group to the log, and applies it to the indexes.
 */
public final class BatchCommit {
  /** Keys of a batch that take less are not worth asking. */
  private static final long LARGE_KEYS_BYTES = 1 << 20;

  /*
   * The order matters. Nothing is changed in memory before the append returned, so a full disk leaves
   * everything as it was; nothing can refuse the change after it, so what the log says is what the
   * indexes say. The partition locks are held from check to apply: the log has the commits of one
   * partition in the order in which they were applied, which is what recovery relies on.
   */

  /** From how many writes on it pays to gather what they add to trees. */
  private static final int MANY = 16;

  private static final Comparator<PhysicalPartition> LOCK_ORDER =
      Comparator.comparingInt(PhysicalPartition::collectionId)
          .thenComparingInt(PhysicalPartition::id);

  private final Log log;
  private final Garbage garbage;
  private final long logicalPartitionBytesMax;
  private final Claims claims = new Claims();

  public BatchCommit(Log log, Garbage garbage, long logicalPartitionBytesMax) {
    this.log = log;
    this.garbage = garbage;
    this.logicalPartitionBytesMax = logicalPartitionBytesMax;
  }

  /** What open transactions keep others from changing. */
  Claims claims() {
    return claims;
  }

  long logicalPartitionBytesMax() {
    return logicalPartitionBytesMax;
  }

  /**
   * @param owner the transaction whose changes these are, which has claimed them; null for none
   */
  public CommitResult run(WriteBatch batch, @Nullable Object owner, WorkMeter meter) {
    for (; ; ) {
      PendingWrite[] writes = prepare(batch.operations(), meter);
      List<PhysicalPartition> partitions = partitionsOf(writes);
      lock(partitions);
      try {
        if (!isStale(writes)) {
          Claims.Holder holder = holder(writes, owner);
          return holder != null
              ? claimed(writes, holder)
              : commit(batch, writes, partitions, owner, meter);
        }
      } finally {
        partitions.forEach(partition -> partition.lock.unlock());
      }
    }
  }

  /** Somebody else who has claimed what is to be changed; null for nobody. */
  private Claims.@Nullable Holder holder(PendingWrite[] writes, @Nullable Object owner) {
    if (claims.isEmpty()) {
      return null;
    }
    for (PendingWrite write : writes) {
      Claims.Holder holder = TransactionGround.holder(claims, write, owner);
      if (holder != null) {
        return holder;
      }
    }
    return null;
  }

  private static CommitResult claimed(PendingWrite[] writes, Claims.Holder holder) {
    var outcomes = Collections.nCopies(writes.length, WriteOutcome.claimed(holder.ended()));
    return new CommitResult(Receipt.NONE, outcomes, partitionIds(writes));
  }

  private static void lock(List<PhysicalPartition> partitions) {
    int locked = 0;
    try {
      for (; locked < partitions.size(); locked++) {
        Lane.take(partitions.get(locked).lock); // who has it may be beginning a segment
      }
    } catch (WouldWaitException e) {
      partitions.subList(0, locked).forEach(partition -> partition.lock.unlock());
      throw e;
    }
  }

  /** Asks for the memory that many keys take while nothing has changed yet. */
  private static PendingWrite[] prepare(List<WriteOperation> operations, WorkMeter meter) {
    var writes = new PendingWrite[operations.size()];
    long keyBytes = 0;
    for (int i = 0; i < writes.length; i++) {
      writes[i] = prepare(operations.get(i));
      keyBytes += writes[i].manyKeysBytes();
      if (keyBytes > LARGE_KEYS_BYTES) {
        meter.beforeLarge().accept((int) Math.min(Integer.MAX_VALUE, keyBytes));
      }
    }
    return writes;
  }

  private static PendingWrite prepare(WriteOperation operation) {
    if (operation instanceof WriteOperation.Insert insert) {
      return collection(insert.collection()).prepare(insert.document(), (PrimaryKey) insert.key());
    } else if (operation instanceof WriteOperation.Replace replace) {
      PendingWrite write =
          collection(replace.collection()).prepare(replace.before(), replace.after());
      write.delta = replace.delta();
      return write;
    } else if (operation instanceof WriteOperation.Delete delete) {
      return collection(delete.collection()).prepare(delete.before(), null);
    }
    throw new IllegalArgumentException("not an operation of ours: " + operation);
  }

  private static ChronicleCollection collection(Object store) {
    return (ChronicleCollection) store;
  }

  private static List<PhysicalPartition> partitionsOf(PendingWrite[] writes) {
    if (writes.length == 1) {
      return List.of(writes[0].partition);
    }
    var partitions = new ArrayList<PhysicalPartition>();
    for (PendingWrite write : writes) {
      // Batches mostly stay in one partition or in few; a linear search beats a set.
      if (!partitions.contains(write.partition)) {
        partitions.add(write.partition);
      }
    }
    partitions.sort(LOCK_ORDER);
    return partitions;
  }

  private static int[] partitionIds(PendingWrite[] writes) {
    int[] ids = new int[writes.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = writes[i].partition.id();
    }
    return ids;
  }

  private static boolean isStale(PendingWrite[] writes) {
    for (PendingWrite write : writes) {
      if (isStale(write)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the world changed between preparing and locking: a split, or another set of indexes.
   */
  private static boolean isStale(PendingWrite write) {
    PhysicalPartition partition = write.partition;
    if (partition.isRetired()) {
      return write.isInsert(); // to a child; other writes named a version that must be read again
    }
    if (write.problem != null || partition.isDropped()) {
      return false; // an outcome, not a reason to try again
    }
    return partition.files().indexes() != write.indexes;
  }

  private CommitResult commit(
      WriteBatch batch,
      PendingWrite[] writes,
      List<PhysicalPartition> partitions,
      @Nullable Object owner,
      WorkMeter meter) {
    WriteOutcome[] outcomes = check(batch, writes, owner != null);
    PendingWrite[] happening = applied(writes, outcomes);
    if (happening.length == 0) {
      return new CommitResult(Receipt.NONE, List.of(outcomes), partitionIds(writes));
    }
    ChronicleCollection capped = capped(batch);
    if (capped != null) {
      happening = PushedOut.with(happening, capped);
    }
    var group = new RecordGroup();
    for (PendingWrite write : happening) {
      addRecord(group, write);
    }
    ToldChanges.add(group, happening, batch.steps());
    makeRoom(happening);
    requireMayMirror(happening);
    Appended appended = log.append(group);
    try {
      apply(happening, partitions, appended, meter);
    } catch (RuntimeException | Error e) {
      // The log has the group and the indexes have half of it. A restart makes them whole again.
      Arrays.stream(writes).forEach(write -> write.partition.fail(e));
      throw new StorageException(
          StorageException.Reason.UNAVAILABLE,
          "an index failed; restart the server to rebuild it: " + e,
          e);
    }
    return new CommitResult(log.receipt(appended.stamp()), List.of(outcomes), partitionIds(writes));
  }

  /** The capped collection that something is inserted into; there is one at the most. */
  private static @Nullable ChronicleCollection capped(WriteBatch batch) {
    for (WriteOperation operation : batch.operations()) {
      if (operation instanceof WriteOperation.Insert insert
          && collection(insert.collection()).cappedLimits() != null) {
        return collection(insert.collection());
      }
    }
    return null;
  }

  /** The writes that happen, in the order of their records. */
  private static PendingWrite[] applied(PendingWrite[] writes, WriteOutcome[] outcomes) {
    for (int i = 0; i < writes.length; i++) {
      if (!outcomes[i].isApplied()) {
        return IntStream.range(0, writes.length)
            .filter(at -> outcomes[at].isApplied())
            .mapToObj(at -> writes[at])
            .toArray(PendingWrite[]::new);
      }
    }
    return writes;
  }

  /** Brings what the commit adds into the structures, shows all of it, then takes things away. */
  private void apply(
      PendingWrite[] writes,
      List<PhysicalPartition> partitions,
      Appended appended,
      WorkMeter meter) {
    Flight flight = writes.length == 1 ? null : new Flight(appended.lsn());
    for (PhysicalPartition partition : partitions) {
      partition.trail().begin(appended.lsn(), flight);
    }
    try {
      remember(writes, appended);
      add(writes, appended, meter);
    } finally {
      if (flight != null) {
        flight.land();
      }
    }
    for (PendingWrite write : writes) {
      if (!write.isInsert()) {
        IndexWriter.remove(write.partition.files(), write);
      }
    }
  }

  /** Writes down what is about to go, before anything can take its place. */
  private static void remember(PendingWrite[] writes, Appended appended) {
    for (int i = 0; i < writes.length; i++) {
      if (!writes[i].isInsert()) {
        History history = writes[i].partition.trail().historyFor(appended.lsn());
        if (history != null) {
          history.add(appended.lsn(), writes[i], appended.positions()[i]);
        }
      }
    }
  }

  private void add(PendingWrite[] writes, Appended appended, WorkMeter meter) {
    // Entries of trees may come later than all else: every entry names another record.
    TreeInserts inserts = writes.length < MANY ? null : new TreeInserts(writes.length);
    for (int i = 0; i < writes.length; i++) {
      addToFiles(writes[i], appended.positions()[i], inserts);
      note(writes[i], appended.positions()[i], meter);
    }
    if (inserts != null) {
      inserts.apply();
    }
  }

  /** Maps of a split's children may have to grow when the log has the group already. */
  private static void requireMayMirror(PendingWrite[] writes) {
    for (PendingWrite write : writes) {
      if (write.partition.mirror() != null) {
        Lane.requireMayWait();
      }
    }
  }

  /** Lets the maps grow now, while a full disk can still refuse the commit. */
  private static void makeRoom(PendingWrite[] writes) {
    if (writes.length == 1) {
      writes[0].makeRoom();
      return;
    }
    Map<KeyIndex, List<byte[]>> newKeys = new IdentityHashMap<>();
    for (PendingWrite write : writes) {
      write.collectNewKeys(newKeys);
    }
    newKeys.forEach(KeyIndex::prepare);
  }

  private WriteOutcome[] check(WriteBatch batch, PendingWrite[] writes, boolean isTransaction) {
    var outcomes = new WriteOutcome[writes.length];
    var checks = new PreconditionCheck(writes.length, logicalPartitionBytesMax);
    if (isTransaction) {
      checks.expect(writes);
    }
    boolean isStopped = false;
    for (int i = 0; i < writes.length; i++) {
      outcomes[i] = isStopped ? WriteOutcome.NOT_APPLIED : checks.check(writes[i]);
      if (!outcomes[i].isApplied() && batch.onFailure() != WriteBatch.OnFailure.CONTINUE) {
        isStopped = true;
      }
    }
    if (isStopped && batch.onFailure() == WriteBatch.OnFailure.APPLY_NONE) {
      for (int i = 0; i < outcomes.length; i++) {
        outcomes[i] = outcomes[i].isApplied() ? WriteOutcome.NOT_APPLIED : outcomes[i];
      }
    }
    return outcomes;
  }

  private static void addRecord(RecordGroup group, PendingWrite write) {
    PhysicalPartition partition = write.partition;
    if (write.isInsert()) {
      write.recordId = partition.files().allocateRecordId();
    }
    long previous = write.isInsert() ? 0 : write.before.version();
    byte[] meta =
        new DataRecord(partition.collectionId(), write.recordId, previous).meta(write.effort());
    if (write.isDelete()) {
      group.add(DataRecord.DELETE, meta, write.documentKey);
    } else {
      byte kind = write.isInsert() ? DataRecord.INSERT : DataRecord.REPLACE;
      group.add(kind, meta, write.after.bytes(), write.after.offset(), write.after.length());
    }
  }

  /** Adds what an insert adds to trees to {@code inserts}, which is null when there are few. */
  private static void addToFiles(PendingWrite write, long position, TreeInserts inserts) {
    PartitionFiles files = write.partition.files();
    if (inserts != null && write.isInsert()) {
      IndexWriter.addInsert(files, write, position, inserts);
    } else {
      IndexWriter.add(files, write, position);
    }
  }

  /** Tells everybody else of a write. */
  private void note(PendingWrite write, long position, WorkMeter meter) {
    if (write.partition.mirror() != null) {
      write.partition.mirror().apply(write, position);
    }
    if (write.partition.follower() != null) {
      write.partition.follower().follow(write);
    }
    write.partition.markChanged();
    if (!write.isInsert()) {
      garbage.add(write.before.version(), write.before.document().length());
    }
    if (write.isDelete()) {
      garbage.add(position, write.documentKey.length); // it is needed until the next checkpoint
    }
    int bytes = write.isDelete() ? write.before.document().length() : write.after.length();
    meter.writeDocument(bytes, write.termsAdded(), write.termsRemoved());
  }
}
