package dev.orrery.storage.recovery;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.physical.Garbage;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.structure.BlindRemoval;
import dev.orrery.storage.structure.CatalogRecord;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.upkeep.CheckpointFile;
import dev.orrery.value.RawDocument;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings an engine to the state of its log: the catalog and the structures of the last checkpoint,
 * and what the log has after it.
 */
public final class EngineRecovery {
  /*
   * The log is read twice. The first pass finds out which collections, indexes and partitions there
   * are in the end; the second applies documents to those. A record goes to the partition that owns
   * its key now, whichever it was written to: a split keeps record ids, so for the children the
   * parent's records are their own, and of a merge the partition map knows the ids it changed.
   *
   * Every structure was saved at its own moment, and a kill in the midst of a checkpoint leaves some
   * that are newer than others. So each of them gets exactly the records that it lacks, by its own
   * sequence number (see RecordReplay).
   *
   * The log must have everything after the checkpoint, and all of its history when there is no
   * checkpoint. If it has not, files were lost, and to go on would lose more.
   */

  private static final Logger LOGGER = LoggerFactory.getLogger(EngineRecovery.class);

  private final Log log;
  private final Collections collections;
  private final Garbage garbage;
  private final LongSupplier newStore;
  private long replayedGroups;

  /**
   * @param newStore a number for a store that has none, not 0 and unlike that of any other
   */
  public EngineRecovery(Log log, Collections collections, Garbage garbage, LongSupplier newStore) {
    this.log = log;
    this.collections = collections;
    this.garbage = garbage;
    this.newStore = newStore;
  }

  public Catalog run(CheckpointFile file) {
    CheckpointFile.Content checkpoint = read(file);
    requireHistory(checkpoint);
    collections.opener().identify(store(file, checkpoint));
    try {
      return run(checkpoint);
    } catch (RuntimeException | Error e) {
      collections.close(); // whoever tries again in this process must not meet our files
      if (isTrimmed(e)) {
        throw corrupt(file + " is older than the log: " + e.getMessage());
      }
      throw e;
    }
  }

  /** Which store this is: on disk before any file that says so. */
  private long store(CheckpointFile file, CheckpointFile.Content checkpoint) {
    if (checkpoint != null && checkpoint.store() != 0) {
      return checkpoint.store();
    }
    // Only the checkpoint was lost, or an older version wrote it: the files are as good as before.
    long found = collections.opener().storeOfFiles();
    long store = found != 0 ? found : newStore.getAsLong();
    try {
      file.write(
          (checkpoint == null ? CheckpointFile.Content.empty() : checkpoint).withStore(store));
      return store;
    } catch (StorageException e) {
      LOGGER.warn("files will not say which store they are of: {}", e.getMessage());
      return 0;
    }
  }

  /** The last checkpoint; null without one, or when it is damaged and the log has all of it. */
  private CheckpointFile.Content read(CheckpointFile file) {
    try {
      return file.read();
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.CORRUPT || !log.isComplete()) {
        throw e;
      }
      collections.say("the whole log is replayed: " + e.getMessage());
      return null;
    }
  }

  /**
   * @param checkpoint null when the store is new or was never saved
   */
  private Catalog run(CheckpointFile.Content checkpoint) {
    Catalog catalog = new Catalog();
    long replayFrom = 0;
    if (checkpoint != null) {
      catalog = Catalog.fromBson(checkpoint.catalog());
      collections.expect(checkpoint.stamps(), ids(catalog));
      replayFrom = checkpoint.replayFrom();
      checkpoint.garbage().forEach(garbage::addBytes);
    }
    replayCatalog(catalog, replayFrom + 1);
    deleteStrangers(catalog);
    catalog.collections().forEach(collections::add);
    replayDocuments(replayFrom + 1);
    collections.completeReplay();
    return catalog;
  }

  private static Set<Integer> ids(Catalog catalog) {
    return catalog.collections().stream().map(CollectionInfo::id).collect(Collectors.toSet());
  }

  private void requireHistory(CheckpointFile.Content checkpoint) {
    if (checkpoint == null && !log.isComplete()) {
      throw corrupt("the checkpoint is missing, and the log begins after its first group");
    } else if (checkpoint != null && checkpoint.replayFrom() > log.lastLsn()) {
      throw corrupt(
          log.end()
              + ": the log ends with group "
              + log.lastLsn()
              + ", but the checkpoint has group "
              + checkpoint.replayFrom());
    }
  }

  private static boolean isTrimmed(Throwable failure) {
    return failure instanceof StorageException storage
        && storage.reason() == StorageException.Reason.LOG_TRIMMED;
  }

  private static StorageException corrupt(String what) {
    return new StorageException(StorageException.Reason.CORRUPT, what + Advice.DAMAGED);
  }

  /** How many groups of the log were read again. */
  public long replayedGroups() {
    return replayedGroups;
  }

  private void replayCatalog(Catalog catalog, long fromLsn) {
    LogCursor cursor = log.from(fromLsn);
    for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
      for (int i = 0; i < group.size(); i++) {
        if (group.kind(i) == DataRecord.CATALOG) {
          CatalogRecord.apply(
              catalog, RawDocument.wrap(group.payload(i)).toBsonDocument(), group.lsn());
        }
      }
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
      if (group.lsn() != fromLsn + replayedGroups) {
        throw corrupt("group " + (fromLsn + replayedGroups) + " of the log is missing");
      }
      replayedGroups++;
      for (int i = 0; i < group.size(); i++) {
        if (DataRecord.isOfDocument(group.kind(i))) {
          replay(group, i);
        }
      }
    }
  }

  /**
   * The version before, or null when it can no longer be read: it was given up, or rotted since.
   */
  private RawDocument findBefore(DataRecord record) {
    try {
      return RawDocument.wrap(log.readPayload(record.previous()));
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.CORRUPT) {
        throw e;
      }
      return null;
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
    boolean hasBefore = kind == DataRecord.REPLACE || kind == DataRecord.DELETE;
    RawDocument before = hasBefore ? findBefore(record) : null;
    RawDocument known = after == null ? before : after;
    PrimaryKey key =
        known == null
            ? collection.keys().ofDocumentKey(RawDocument.wrap(group.payload(index)))
            : collection.keys().of(known);
    PhysicalPartition partition = collection.partitionOf(key);
    long position = group.position(index);
    long recordId =
        collection.info().partitions().recordIdNow(key.epk(), group.lsn(), record.recordId());
    var replay = new RecordReplay(partition.files(), group.lsn());
    if (kind == DataRecord.MOVE) {
      replay.move(recordId, record.previous(), position);
    } else {
      if (hasBefore && before == null) {
        new BlindRemoval(partition.files(), group.lsn())
            .run(key, recordId, log.payloadLength(record.previous()));
      }
      if (known != null) {
        replay.apply(new RecordReplay.Change(key, recordId, before, after), position);
      }
    }
    if (record.previous() != 0) {
      RawDocument previous = hasBefore ? before : after;
      garbage.add(
          record.previous(),
          previous == null ? log.payloadLength(record.previous()) : previous.length());
    }
    if (kind == DataRecord.DELETE) {
      garbage.add(position, group.payloadLength(index));
    }
    partition.markChanged();
  }
}
