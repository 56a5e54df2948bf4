package dev.orrery.storage.recovery;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.physical.CommitFollower;
import dev.orrery.storage.physical.PendingWrite;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks a collection completely: every document against its checksum, its key maps, its index
 * entries, and all counts. Writes go on: a partition is locked for some records at a time.
 */
public final class Validation {
  /*
   * A page of records is compared with the structures under the partition's lock, so nothing moves
   * between a record and its entries. The counts are right for one moment only, so a tally follows
   * the commits meanwhile: what they do to records that were passed is added to it, and the others
   * are still to come. Indexes stay as they are, because builds, drops and splits wait.
   */

  private static final int FAULTS_MAX = 100;
  private static final int PAGE_IDS = 256;

  private final Log log;
  private final List<String> faults = new ArrayList<>();
  private int faultsSeen;
  private int strays;
  private long missingEntries;
  private long extraEntries;

  public Validation(Log log) {
    this.log = log;
  }

  /** Reads all of a store; the first fault is thrown with its file and offset. */
  public static void requireSound(Log log, List<ChronicleCollection> collections) {
    log.verify()
        .ifPresent(
            fault -> {
              throw new StorageException(StorageException.Reason.CORRUPT, fault.toString());
            });
    for (ChronicleCollection collection : collections) {
      List<String> faults = new Validation(log).run(collection);
      if (!faults.isEmpty()) {
        throw new StorageException(StorageException.Reason.CORRUPT, faults.get(0));
      }
    }
  }

  /** One line for each fault, up to a limit; empty when all is well. */
  public List<String> run(ChronicleCollection collection) {
    collection.structureLock().lock();
    try {
      collection.physicalPartitions().forEach(partition -> isSound(collection, partition));
    } finally {
      collection.structureLock().unlock();
    }
    return faults();
  }

  /** Checks one partition; the lock on the collection's structure must be held. */
  boolean isSound(ChronicleCollection collection, PhysicalPartition partition) {
    int before = faultsSeen;
    try {
      check(collection, partition);
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.CORRUPT) {
        throw e;
      }
      fault(partition + ": " + e.getMessage());
    }
    return faultsSeen == before;
  }

  List<String> faults() {
    return List.copyOf(faults);
  }

  /** How many documents lie in a partition that is not theirs. */
  int strays() {
    return strays;
  }

  /** How many index entries documents should have and have not. */
  long missingEntries() {
    return missingEntries;
  }

  /** How many index entries there are that no document has. */
  long extraEntries() {
    return extraEntries;
  }

  private void fault(String what) {
    faultsSeen++;
    if (faults.size() < FAULTS_MAX) {
      faults.add(what);
    }
  }

  /** What the documents of a partition say, to compare with the structures. */
  static final class Tally implements CommitFollower {
    private final OrderedIndex[] indexes;
    private final long[] entries;
    private final long[] missing;
    private final Map<ByteBuffer, long[]> keys = new HashMap<>();
    private long documents;
    private long bytes;

    /** Records before this one were counted. */
    private long next = 1;

    private Tally(OrderedIndex[] indexes) {
      this.indexes = indexes;
      this.entries = new long[indexes.length];
      this.missing = new long[indexes.length];
    }

    /** Takes note of a commit. The partition's lock is held. */
    @Override
    public void follow(PendingWrite write) {
      if (write.recordId >= next) {
        return;
      }
      count(write.logicalKey, write.documentsAdded(), write.bytesAdded());
      for (PendingWrite.KeyChange change : write.changes) {
        for (int i = 0; i < indexes.length; i++) {
          if (indexes[i].entry().id() == change.index().entry().id()) {
            entries[i] += change.added().size() - change.removed().size();
          }
        }
      }
    }

    private void count(byte[] logicalKey, int documentsAdded, long bytesAdded) {
      documents += documentsAdded;
      bytes += bytesAdded;
      if (logicalKey != null) {
        long[] pair = keys.computeIfAbsent(ByteBuffer.wrap(logicalKey), key -> new long[2]);
        pair[0] += bytesAdded;
        pair[1] += documentsAdded;
      }
    }
  }

  private void check(ChronicleCollection collection, PhysicalPartition partition) {
    if (!partition.tryEnter()) {
      return; // dropped
    }
    try {
      PartitionFiles files = partition.files();
      verifyFiles(partition, files);
      var tally = new Tally(files.indexes());
      boolean hasMore = true;
      while (hasMore) {
        partition.lock.lock();
        try {
          hasMore = checkPage(collection, partition, tally);
          partition.follow(hasMore ? tally : null);
        } finally {
          partition.lock.unlock();
        }
        partition.letOthersIn();
      }
    } finally {
      Collections.locked(partition, () -> partition.follow(null));
      partition.leave();
    }
  }

  /** False when there are no more records; then the counts were compared too. */
  private boolean checkPage(
      ChronicleCollection collection, PhysicalPartition partition, Tally tally) {
    if (partition.isDropped()) {
      return false;
    }
    PartitionFiles files = partition.files();
    long[] ids = new long[PAGE_IDS];
    long[] positions = new long[PAGE_IDS];
    int found = files.slots().scanUp(tally.next, ids, positions);
    for (int i = 0; i < found; i++) {
      checkRecord(collection, partition, new long[] {ids[i], positions[i]}, tally);
      tally.next = ids[i] + 1;
    }
    if (found == 0) {
      compare(partition, files, tally);
    }
    return found > 0;
  }

  private void verifyFiles(PhysicalPartition partition, PartitionFiles files) {
    try {
      files.slots().verifyPages();
      files.ids().verify();
      for (OrderedIndex index : files.indexes()) {
        index.tree().verify();
        if (index.unique() != null) {
          index.unique().verify();
        }
      }
      if (files.sizes() != null) {
        files.sizes().verify();
      }
    } catch (StorageException e) {
      fault(partition + ": " + e.getMessage());
    }
  }

  private void checkRecord(
      ChronicleCollection collection, PhysicalPartition partition, long[] slot, Tally tally) {
    PartitionFiles files = partition.files();
    long recordId = slot[0];
    RawDocument document;
    try {
      document = RawDocument.wrap(log.readPayload(slot[1]));
    } catch (StorageException e) {
      fault(partition + " record " + recordId + ": " + e.getMessage());
      return;
    }
    PrimaryKey key = collection.keys().of(document);
    if (!partition.range().contains(key.epk()) && collection.keys().isPartitioned()) {
      strays++;
      fault(partition + " record " + recordId + ": belongs to another partition");
    }
    if (files.ids().find(key.bytes()) != recordId) {
      fault(partition + " record " + recordId + ": not found by its primary key");
    }
    tally.count(key.logicalKey(), 1, document.length());
    OrderedIndex[] indexes = tally.indexes;
    for (int i = 0; i < indexes.length; i++) {
      for (byte[] indexKey : indexes[i].keysOf(document)) {
        tally.entries[i]++;
        if (!indexes[i].tree().contains(indexKey, recordId)) {
          tally.missing[i]++;
          fault(
              partition + " record " + recordId + ": missing in index " + indexes[i].spec().name());
        }
        checkUnique(
            partition, indexes[i], recordId, PrimaryKeys.uniqueKey(key.logicalKey(), indexKey));
      }
    }
  }

  private void checkUnique(
      PhysicalPartition partition, OrderedIndex index, long recordId, byte[] uniqueKey) {
    if (index.unique() != null && index.unique().find(uniqueKey) != recordId) {
      fault(
          partition + " record " + recordId + ": not in the unique keys of " + index.spec().name());
    }
  }

  private void compare(PhysicalPartition partition, PartitionFiles files, Tally tally) {
    var counted = files.statistics();
    expect(partition, "documents", tally.documents, counted.documents());
    expect(partition, "bytes", tally.bytes, counted.bytes());
    expect(partition, "primary keys", tally.documents, files.ids().size());
    OrderedIndex[] indexes = tally.indexes;
    for (int i = 0; i < indexes.length; i++) {
      if (indexes[i].entry().ready()) {
        String what = "entries of index " + indexes[i].spec().name();
        expect(partition, what, tally.entries[i], indexes[i].entries());
        missingEntries += tally.missing[i];
        long held = tally.entries[i] - tally.missing[i];
        extraEntries += Math.max(0, indexes[i].entries() - held);
        if (indexes[i].unique() != null) {
          expect(partition, "unique " + what, tally.entries[i], indexes[i].unique().size());
        }
      }
    }
    if (files.sizes() != null) {
      tally.keys.values().removeIf(pair -> pair[1] == 0);
      expect(partition, "partition keys", tally.keys.size(), files.sizes().size());
      tally.keys.forEach(
          (key, pair) -> {
            var saved = files.statistics(Arrays.copyOf(key.array(), key.array().length));
            expect(partition, "bytes of a partition key", pair[0], saved.bytes());
            expect(partition, "documents of a partition key", pair[1], saved.documents());
          });
    }
  }

  private void expect(PhysicalPartition partition, String what, long found, long counted) {
    if (found != counted) {
      fault(partition + ": " + what + ": " + found + " found, " + counted + " counted");
    }
  }
}
