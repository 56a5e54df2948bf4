package dev.orrery.storage.chronicle;

import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.value.RawDocument;
import java.util.HashSet;
import java.util.Set;
import org.bson.BsonDocument;

/**
 * Brings an engine to the state of its log: the catalog and the structures of the last checkpoint,
 * and what the log has after it.
 */
final class Recovery {
  /*
   * The log is read twice. The first pass finds out which collections, indexes and partitions there
   * are in the end; the second applies documents to those. A record goes to the partition that owns
   * its key now, whichever it was written to: a split keeps record ids, so for the children the
   * parent's records are their own.
   *
   * Applying a record again is harmless for slots, maps and trees, because every change is absolute.
   * Counts are not: those are changed only by records that the saved count has not seen.
   */

  private final Log log;
  private final Collections collections;
  private final Garbage garbage;

  Recovery(Log log, Collections collections, Garbage garbage) {
    this.log = log;
    this.collections = collections;
    this.garbage = garbage;
  }

  /**
   * @param checkpoint null when the store is new or was never saved
   */
  Catalog run(CheckpointFile.Content checkpoint) {
    Catalog catalog = new Catalog();
    long replayFrom = 0;
    if (checkpoint != null) {
      catalog = Catalog.fromBson(checkpoint.catalog());
      replayFrom = checkpoint.replayFrom();
      checkpoint.garbage().forEach(garbage::addBytes);
    }
    replayCatalog(catalog, replayFrom + 1);
    deleteStrangers(catalog);
    catalog.collections().forEach(collections::add);
    replayDocuments(replayFrom + 1);
    return catalog;
  }

  private void replayCatalog(Catalog catalog, long fromLsn) {
    LogCursor cursor = log.from(fromLsn);
    for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
      for (int i = 0; i < group.size(); i++) {
        if (group.kind(i) == DataRecord.CATALOG) {
          apply(catalog, RawDocument.wrap(group.payload(i)).toBsonDocument());
        }
      }
    }
  }

  private static void apply(Catalog catalog, BsonDocument change) {
    String what = change.getFirstKey();
    switch (what) {
      case CatalogRecord.PUT_COLLECTION ->
          catalog.put(CollectionInfo.fromBson(change.getDocument(what)));
      case CatalogRecord.DROP_COLLECTION -> catalog.drop(change.getInt32(what).getValue());
      case CatalogRecord.PUT_SETTING -> {
        var setting = change.getDocument(what);
        catalog.putSetting(setting.getString("kind").getValue(), setting.getDocument("document"));
      }
      case CatalogRecord.REMOVE_SETTING -> {
        var setting = change.getDocument(what);
        catalog.removeSetting(
            setting.getString("kind").getValue(), setting.getString("id").getValue());
      }
      default -> throw new IllegalStateException("unknown catalog record: " + what);
    }
  }

  private void deleteStrangers(Catalog catalog) {
    Set<String> known = new HashSet<>();
    for (CollectionInfo info : catalog.collections()) {
      if (!info.isView()) {
        info.partitions()
            .entries()
            .forEach(
                entry ->
                    known.add(
                        collections
                            .opener()
                            .directory(info.id(), entry.id())
                            .getFileName()
                            .toString()));
      }
    }
    collections.opener().deleteStrangers(known::contains);
  }

  private void replayDocuments(long fromLsn) {
    LogCursor cursor = log.from(fromLsn);
    for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
      for (int i = 0; i < group.size(); i++) {
        if (group.kind(i) != DataRecord.CATALOG) {
          replay(group, i);
        }
      }
    }
  }

  private void replay(LogGroup group, int index) {
    DataRecord record = DataRecord.of(group.source(), group.metaOffset(index));
    ChronicleCollection collection = collections.find(record.collection());
    if (collection == null) {
      garbage.add(group.position(index), group.payloadLength(index));
      return;
    }
    byte kind = group.kind(index);
    RawDocument after = kind == DataRecord.DELETE ? null : RawDocument.wrap(group.payload(index));
    RawDocument before =
        kind == DataRecord.REPLACE || kind == DataRecord.DELETE
            ? RawDocument.wrap(log.readPayload(record.previous()))
            : null;
    PrimaryKey key = collection.keys().of(after == null ? before : after);
    PhysicalPartition partition = collection.partitionOf(key);
    long position = group.position(index);
    if (kind == DataRecord.MOVE) {
      partition.files().slots().replace(record.recordId(), record.previous(), position);
    } else {
      StoredDocument stored =
          before == null
              ? null
              : new StoredDocument(partition, record.recordId(), record.previous(), before);
      PendingWrite write = ChronicleCollection.prepare(partition, key, stored, after);
      write.recordId = record.recordId();
      apply(partition, write, position, group.lsn());
    }
    if (record.previous() != 0) {
      int bytes = before == null ? after.length() : before.length();
      garbage.add(record.previous(), bytes);
    }
    partition.markChanged();
  }

  private static void apply(
      PhysicalPartition partition, PendingWrite write, long position, long lsn) {
    PartitionFiles files = partition.files();
    boolean isCounted = lsn <= files.slots().lsn();
    IndexWriter.applyToIndexes(files, write, position);
    if (!isCounted) {
      files.countBytes(write.bytesAdded());
    }
    if (files.sizes() != null && lsn > files.sizes().appliedLsn(write.logicalKey)) {
      files.countKey(write.logicalKey, write.bytesAdded(), write.documentsAdded());
    }
  }
}
