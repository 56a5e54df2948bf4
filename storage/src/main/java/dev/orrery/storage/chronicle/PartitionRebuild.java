package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.value.RawDocument;
import java.util.Set;
import java.util.function.Supplier;

/** Makes structures of a partition anew that were lost: from its slots, or those from the log. */
final class PartitionRebuild {
  private static final int PAGE_IDS = 256;

  private final Log log;
  private final PrimaryKeys keys;
  private final EpkRange range;
  private final Supplier<CollectionInfo> description;

  PartitionRebuild(
      Log log, PrimaryKeys keys, EpkRange range, Supplier<CollectionInfo> description) {
    this.log = log;
    this.description = description;
    this.keys = keys;
    this.range = range;
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
      fillSlots(files);
    }
    long[] ids = new long[PAGE_IDS];
    long[] positions = new long[PAGE_IDS];
    long bytes = 0;
    long from = 1;
    for (int n = files.slots().scanUp(from, ids, positions);
        n > 0;
        n = files.slots().scanUp(from, ids, positions)) {
      for (int i = 0; i < n; i++) {
        RawDocument document = RawDocument.wrap(log.readPayload(positions[i]));
        bytes += document.length();
        index(files, lost, ids[i], document);
      }
      from = ids[n - 1] + 1;
    }
    files.slots().payloadBytes(bytes);
    save(files, lost, lsn);
  }

  /** Follows every record of the partition from the first to the last. */
  private void fillSlots(PartitionFiles files) {
    if (!log.isComplete()) {
      throw new StorageException(
          StorageException.Reason.CORRUPT,
          "the slots of a partition are lost, and compaction has removed a part of the log that"
              + " could replace them");
    }
    LogCursor cursor = log.from(1);
    for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
      for (int i = 0; i < group.size(); i++) {
        if (group.kind(i) != DataRecord.CATALOG) {
          fillSlot(files, group, i);
        }
      }
    }
  }

  private void fillSlot(PartitionFiles files, LogGroup group, int index) {
    DataRecord record = DataRecord.of(group.source(), group.metaOffset(index));
    if (record.collection() != description.get().id()) {
      return;
    }
    boolean isDelete = group.kind(index) == DataRecord.DELETE;
    byte[] document = isDelete ? log.readPayload(record.previous()) : group.payload(index);
    String epk = keys.of(RawDocument.wrap(document)).epk();
    if (!keys.isPartitioned() || range.contains(epk)) {
      long recordId =
          description.get().partitions().recordIdNow(epk, group.lsn(), record.recordId());
      files.slots().set(recordId, isDelete ? 0 : group.position(index));
    }
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
}
