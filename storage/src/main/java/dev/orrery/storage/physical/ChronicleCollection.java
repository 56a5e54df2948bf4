package dev.orrery.storage.physical;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteKey;
import dev.orrery.storage.catalog.CappedLimits;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A collection of the embedded engine: its description, and its partitions in this process. */
public final class ChronicleCollection implements CollectionStore {
  /**
   * A description and the partitions that belong to it; replaced as a whole.
   *
   * @param cappedLimits those of the description, which is asked at every insert
   */
  record State(
      CollectionInfo info,
      List<PhysicalPartition> partitions,
      @Nullable CappedLimits cappedLimits) {
    State(CollectionInfo info, List<PhysicalPartition> partitions) {
      this(info, partitions, info.cappedLimits());
    }

    /** The partition that has that effective partition key. */
    PhysicalPartition route(String epk) {
      PartitionMap map = info.partitions();
      return partitions.get(map.size() == 1 ? 0 : map.indexOf(epk));
    }
  }

  /** What there was before the commit of that number changed the partitions. */
  private record Past(long untilLsn, State state) {}

  private final PrimaryKeys keys;
  private final @Nullable IndexSpec keyIndex;
  private final ReentrantLock structureLock = new ReentrantLock();
  private volatile State state;
  private volatile List<Past> past = List.of();
  private volatile boolean isDropped;

  /**
   * @param partitions in the order of the description's partition map; empty for a view
   */
  ChronicleCollection(CollectionInfo info, PrimaryKeys keys, List<PhysicalPartition> partitions) {
    this.keys = keys;
    IndexEntry own = info.keyIndex();
    this.keyIndex = own == null ? null : own.spec();
    this.state = new State(info, List.copyOf(partitions));
  }

  @Override
  public CollectionInfo info() {
    return state.info();
  }

  @Override
  public @Nullable IndexSpec keyIndex() {
    return keyIndex;
  }

  /** How much it holds; null if it is not capped. */
  public @Nullable CappedLimits cappedLimits() {
    return state.cappedLimits();
  }

  /** Replaces the description; the partitions stay. */
  public void describe(CollectionInfo info) {
    state = new State(info, state.partitions());
  }

  /**
   * Replaces the description and the partitions after a split or a merge.
   *
   * @param lsn of the change
   * @param oldestPoint at which somebody may still read
   */
  public void repartition(
      CollectionInfo info, List<PhysicalPartition> partitions, long lsn, long oldestPoint) {
    var kept = new ArrayList<>(past);
    kept.removeIf(one -> one.untilLsn() <= oldestPoint);
    kept.add(new Past(lsn, state));
    past = List.copyOf(kept); // before the state: who finds the new one finds the old one too
    state = new State(info, List.copyOf(partitions));
  }

  /** The description and the partitions at a point. */
  State stateAt(long lsn) {
    State present = state;
    for (Past one : past) {
      if (lsn < one.untilLsn()) {
        return one.state();
      }
    }
    return present;
  }

  /** Whether the partitions are still those of a commit, as far as it is remembered. */
  boolean isUnchangedSince(long lsn) {
    return past.stream().noneMatch(one -> lsn < one.untilLsn());
  }

  @Override
  public List<PartitionStore> partitions() {
    return List.copyOf(state.partitions());
  }

  public List<PhysicalPartition> physicalPartitions() {
    return state.partitions();
  }

  /** The partition of that number. */
  public PhysicalPartition require(int partitionId) {
    for (PhysicalPartition partition : state.partitions()) {
      if (partition.id() == partitionId) {
        return partition;
      }
    }
    throw new StorageException(
        StorageException.Reason.PARTITION_REPLACED, "there is no partition " + partitionId);
  }

  /** Held while indexes are built or dropped, or partitions come and go: one at a time. */
  public ReentrantLock structureLock() {
    Lane.requireMayWait();
    return structureLock;
  }

  public PrimaryKeys keys() {
    return keys;
  }

  @Override
  public PhysicalPartition partitionOf(RawValue partitionKey) {
    State present = state;
    return present.partitions().size() == 1
        ? present.partitions().get(0) // whatever the hash is
        : present.route(keys.epk(partitionKey));
  }

  @Override
  public PhysicalPartition ownerOf(WriteKey key) {
    return partitionOf((PrimaryKey) key);
  }

  @Override
  public WriteKey keyOf(RawDocument document) {
    return keys.ofNew(document);
  }

  public PhysicalPartition partitionOf(PrimaryKey key) {
    return route(key.epk());
  }

  private PhysicalPartition route(String epk) {
    return state.route(epk);
  }

  @Override
  public RawValue partitionKeyOf(RawDocument document) {
    return keys.partitionKeyOf(document);
  }

  @Override
  public byte[] primaryKey(RawValue partitionKey, RawValue id) {
    return keys.bytes(partitionKey, id);
  }

  @Override
  public PartitionStatistics statisticsOf(RawValue partitionKey) {
    return partitionOf(partitionKey).statistics(keys.logicalKey(partitionKey));
  }

  @Override
  public boolean exists() {
    return !isDropped;
  }

  void drop() {
    isDropped = true;
  }

  /** Whoever changes the catalog asks this first, under the engine's lock. */
  public void requireExists() {
    if (isDropped) {
      throw new StorageException(
          StorageException.Reason.COLLECTION_DROPPED,
          "ns does not exist: " + state.info().namespace());
    }
  }

  /** Works out an insert. */
  public PendingWrite prepare(RawDocument document, PrimaryKey key) {
    PrimaryKeys.requireNoArray(key.partitionKey());
    return prepare(route(key.epk()), key, null, document);
  }

  /** Works out a replacement, or a delete, for which {@code after} is null. */
  public PendingWrite prepare(StoredDocument before, RawDocument after) {
    PrimaryKey key =
        after == null ? keys.of(before.document()) : keys.ofReplacement(before.document(), after);
    PendingWrite write = prepare((PhysicalPartition) before.partition(), key, before, after);
    write.keepsBefore = info().keepsImages();
    if (after == null) {
      write.documentKey = keys.documentKey(before.document());
    }
    return write;
  }

  /** The same for a partition that is known. */
  public static PendingWrite prepare(
      PhysicalPartition partition, PrimaryKey key, StoredDocument before, RawDocument after) {
    return prepare(partition, partition.indexesIfPresent(), key, before, after);
  }

  /** Works out what a write does to some of the indexes. */
  static PendingWrite prepare(
      PhysicalPartition partition,
      OrderedIndex[] indexes,
      PrimaryKey key,
      StoredDocument before,
      RawDocument after) {
    PendingWrite.Keys keyChanges;
    try {
      keyChanges = new PendingWrite.Keys(changes(indexes, before, after), null);
    } catch (IndexKeyException e) {
      keyChanges = new PendingWrite.Keys(List.of(), e);
    }
    var target = new PendingWrite.Target(partition, indexes, key);
    return new PendingWrite(target, before, after, keyChanges);
  }

  private static List<PendingWrite.KeyChange> changes(
      OrderedIndex[] indexes, StoredDocument before, RawDocument after) {
    var changes = new ArrayList<PendingWrite.KeyChange>(indexes.length);
    for (OrderedIndex index : indexes) {
      List<byte[]> old = before == null ? List.of() : index.keysOf(before.document());
      List<byte[]> fresh = after == null ? List.of() : index.keysOf(after);
      List<byte[]> added = IndexWriter.minus(fresh, old);
      List<byte[]> removed = IndexWriter.minus(old, fresh);
      if (!added.isEmpty() || !removed.isEmpty()) {
        changes.add(new PendingWrite.KeyChange(index, added, removed));
      }
    }
    return changes;
  }
}
