package dev.orrery.storage.structure;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Makes structures of a partition anew that were lost: from its slots, or those from the log. */
public final class PartitionRebuild {
  private final Log log;
  private final PrimaryKeys keys;
  private final int partition;
  private final EpkRange range;
  private final Supplier<CollectionInfo> description;

  public PartitionRebuild(
      Log log, PrimaryKeys keys, PartitionMap.Entry entry, Supplier<CollectionInfo> description) {
    this.log = log;
    this.description = description;
    this.keys = keys;
    this.partition = entry.id();
    this.range = entry.range();
  }

  /** How structures that have all that the log has differ; all documents are read if they must. */
  Map<String, String> compare(PartitionFiles files, boolean isThorough) {
    var comparison = new PartitionComparison(files, log, keys, this::isOurs);
    return isThorough ? comparison.documents() : comparison.counts();
  }

  /** Whether a record with that key can be in a slot of this partition. */
  private boolean isOurs(DataRecord record, PrimaryKey key) {
    return record.collection() == description.get().id()
        && (!keys.isPartitioned() || range.contains(key.epk()));
  }

  /**
   * @throws StorageException CORRUPT when there is too little left to make those structures of
   */
  void requirePossible(Set<String> lost) {
    if (lost.contains(PartitionFiles.SLOTS)
        && lost.contains(PartitionFiles.IDS)
        && !log.isComplete()
        && description.get().keptIndexes().stream().noneMatch(entry -> isWitness(entry, lost))) {
      throw new StorageException(
          StorageException.Reason.CORRUPT,
          "compaction has removed a part of the log, and without slots, ids and indexes nobody"
              + " knows which documents of the rest are deleted"
              + Advice.DAMAGED);
    }
  }

  /** Whether an index that is there knows of every document. */
  private static boolean isWitness(IndexEntry entry, Set<String> lost) {
    return entry.ready()
        && !lost.contains(PartitionFiles.INDEX + entry.id())
        && LiveRecords.areIn(entry.spec());
  }

  /** What is left that knows of every document; null if the ids do, or the log has all of it. */
  private LiveRecords live(PartitionFiles files, Set<String> lost) {
    if (log.isComplete() || !lost.contains(PartitionFiles.IDS)) {
      return null;
    }
    return Arrays.stream(files.indexes())
        .filter(index -> isWitness(index.entry(), lost))
        .findFirst()
        .map(index -> LiveRecords.of(index.tree()))
        .orElseThrow();
  }

  /**
   * Fills the structures of those names, which are empty, and saves them.
   *
   * @throws StorageException CORRUPT when the log no longer has what it takes
   */
  void run(PartitionFiles files, Set<String> lost) {
    long lsn = files.slots().lsn();
    if (lost.contains(PartitionFiles.SLOTS)) {
      lsn = log.lastLsn();
      log.awaitDurable(lsn); // a structure must never claim more than the log has
      LiveRecords live = live(files, lost);
      fillSlots(files, live);
      if (!log.isComplete()) {
        dropDead(files, live);
      }
    }
    long[] bytes = {0};
    PartitionComparison.forEach(
        files.slots(),
        (recordId, position) -> {
          RawDocument document = RawDocument.wrap(log.readPayload(position));
          bytes[0] += document.length();
          index(files, lost, recordId, document);
        });
    files.slots().payloadBytes(bytes[0]);
    save(files, lost, lsn);
  }

  /** Follows every record of the partition from the first that is left to the last. */
  private void fillSlots(PartitionFiles files, LiveRecords live) {
    LogCursor cursor = log.from(1);
    for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
      for (int i = 0; i < group.size(); i++) {
        if (DataRecord.isOfDocument(group.kind(i))) {
          fillSlot(files, live, group, i);
        }
      }
    }
  }

  private void fillSlot(PartitionFiles files, LiveRecords live, LogGroup group, int index) {
    DataRecord record = DataRecord.of(group.source(), group.metaOffset(index));
    if (record.collection() != description.get().id()) {
      return;
    }
    boolean isDelete = group.kind(index) == DataRecord.DELETE;
    byte[] document = isDelete ? deleted(record) : group.payload(index);
    if (document == null) {
      return;
    }
    PrimaryKey key = keys.of(RawDocument.wrap(document));
    if (!keys.isPartitioned() || range.contains(key.epk())) {
      long recordId =
          description.get().partitions().recordIdNow(key.epk(), group.lsn(), record.recordId());
      files.slots().set(recordId, isDelete ? 0 : group.position(index));
      if (live != null) {
        live.follow(group.lsn(), group.kind(index), recordId);
      } else if (group.lsn() > files.ids().appliedLsn(key.bytes())) {
        follow(files.ids(), key, group.kind(index), recordId);
      }
    }
  }

  /** The ids must be as new as the slots, to be compared with them. */
  private static void follow(KeyIndex ids, PrimaryKey key, byte kind, long recordId) {
    if (kind == DataRecord.DELETE) {
      ids.remove(key.bytes());
    } else if (kind == DataRecord.INSERT) {
      ids.put(key.bytes(), recordId);
    }
  }

  /** The document that a record deleted, or null when it is so long ago that it is gone. */
  private byte[] deleted(DataRecord record) {
    try {
      return log.readPayload(record.previous());
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.LOG_TRIMMED) {
        throw e;
      }
      return null;
    }
  }

  /**
   * Takes out documents whose deletion the log no longer has: the ids have no key for them. Those
   * that are left have their last version in the log, which compaction keeps.
   *
   * @param live which documents there are, if the ids do not know it
   */
  private void dropDead(PartitionFiles files, LiveRecords live) {
    var dead = new ArrayList<Long>();
    PartitionComparison.forEach(
        files.slots(),
        (recordId, position) -> {
          boolean isLive =
              live == null ? hasKey(files, recordId, position) : live.contains(recordId);
          if (!isLive) {
            dead.add(recordId);
          }
        });
    dead.forEach(recordId -> files.slots().set(recordId, 0));
    long documents = live == null ? files.ids().size() : live.count();
    if (files.slots().count() != documents) {
      throw new StorageException(
          StorageException.Reason.CORRUPT,
          "of "
              + documents
              + " documents the log has "
              + files.slots().count()
              + " that were not deleted"
              + Advice.DAMAGED);
    }
  }

  private boolean hasKey(PartitionFiles files, long recordId, long position) {
    RawDocument document = RawDocument.wrap(log.readPayload(position));
    return files.ids().find(keys.of(document).bytes()) == recordId;
  }

  private void index(PartitionFiles files, Set<String> lost, long recordId, RawDocument document) {
    PrimaryKey key = keys.of(document);
    if (lost.contains(PartitionFiles.IDS)) {
      files.ids().put(key.bytes(), recordId);
    }
    if (lost.contains(PartitionFiles.SIZES)) {
      files.countKey(key.logicalKey(), document.length(), 1);
    }
    for (OrderedIndex index : files.indexes()) {
      boolean isTreeLost = lost.contains(PartitionFiles.INDEX + index.entry().id());
      boolean isMapLost = lost.contains(PartitionFiles.UNIQUE + index.entry().id());
      if (isTreeLost || isMapLost) {
        for (byte[] indexKey : index.keysOf(document)) {
          if (isTreeLost) {
            index.tree().insert(indexKey, recordId);
          }
          if (isMapLost) {
            index.unique().put(PrimaryKeys.uniqueKey(key.logicalKey(), indexKey), recordId);
          }
        }
      }
    }
  }

  private static void save(PartitionFiles files, Set<String> lost, long lsn) {
    if (lost.contains(PartitionFiles.IDS)) {
      files.ids().checkpoint(lsn);
    }
    if (lost.contains(PartitionFiles.SIZES)) {
      files.sizes().checkpoint(lsn);
    }
    for (OrderedIndex index : files.indexes()) {
      if (lost.contains(PartitionFiles.INDEX + index.entry().id())) {
        index.tree().checkpoint(lsn);
      }
      if (lost.contains(PartitionFiles.UNIQUE + index.entry().id())) {
        index.unique().checkpoint(lsn);
      }
    }
    if (lost.contains(PartitionFiles.SLOTS)) {
      files.slots().checkpoint(lsn);
    }
  }

  @Override
  public String toString() {
    return "partition " + partition + " of " + description.get().namespace();
  }
}
