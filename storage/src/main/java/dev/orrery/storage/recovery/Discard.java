package dev.orrery.storage.recovery;

import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.log.Appended;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.RecordGroup;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.reshape.EngineParts;
import dev.orrery.storage.structure.BlindRemoval;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes a document that cannot be read any more, by its key alone. */
public final class Discard {
  /*
   * The record in the log is that of any delete; recovery finds as we do that the version before
   * cannot be read. The lock on the structure keeps splits, index builds and validations away, who
   * would have to be told of index keys that nobody knows.
   */
  private static final Logger LOGGER = LoggerFactory.getLogger(Discard.class);

  private final EngineParts engine;
  private final ChronicleCollection collection;

  public Discard(EngineParts engine, ChronicleCollection collection) {
    this.engine = engine;
    this.collection = collection;
  }

  /** Nothing is done when there is no such document, or it can be read. */
  public Receipt run(@Nullable RawValue partitionKey, RawValue id) {
    PrimaryKey key = collection.keys().of(partitionKey, id);
    byte[] documentKey = collection.keys().documentKey(partitionKey, id);
    collection.structureLock().lock();
    try {
      PhysicalPartition partition = collection.partitionOf(key);
      partition.lock.lock();
      try {
        return partition.isDropped() ? Receipt.NONE : run(partition, key, documentKey);
      } finally {
        partition.lock.unlock();
      }
    } finally {
      collection.structureLock().unlock();
    }
  }

  private Receipt run(PhysicalPartition partition, PrimaryKey key, byte[] documentKey) {
    partition.requireHealthy();
    PartitionFiles files = partition.files();
    long recordId = files.ids().find(key.bytes());
    long position = recordId == KeyIndex.ABSENT ? 0 : files.slots().get(recordId);
    String fault = position == 0 ? null : fault(position);
    if (fault == null) {
      return Receipt.NONE;
    }
    var record = new DataRecord(collection.info().id(), recordId, position);
    var group = new RecordGroup();
    group.add(DataRecord.DELETE, record.meta(), documentKey);
    int bytes = engine.log().payloadLength(position);
    Appended appended = engine.log().append(group);
    partition.trail().begin(appended.lsn(), null);
    try {
      new BlindRemoval(files, BlindRemoval.NOW).run(key, recordId, bytes);
    } catch (RuntimeException | Error e) {
      partition.fail(e); // the log has it and the structures have half of it, as in a commit
      throw e;
    }
    partition.markChanged();
    engine.garbage().add(position, bytes);
    engine.garbage().add(appended.positions()[0], documentKey.length);
    engine.givenUp(Log.segmentOf(position));
    LOGGER.warn("a document of {} was deleted unread: {}", collection.info().namespace(), fault);
    return engine.log().receipt(appended.stamp());
  }

  /** Why it cannot be read; null when it can. */
  private String fault(long position) {
    try {
      engine.log().readPayload(position);
      return null;
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.CORRUPT) {
        throw e;
      }
      return e.getMessage();
    }
  }
}
