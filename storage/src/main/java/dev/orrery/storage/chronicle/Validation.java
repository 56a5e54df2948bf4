package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.value.RawDocument;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks a collection completely: every document against its checksum, its key maps, its index
 * entries, and all counts. Partitions are checked one after the other, each under its lock.
 */
final class Validation {
  private static final int FAULTS_MAX = 100;
  private static final int PAGE_IDS = 256;

  private final Log log;
  private final List<String> faults = new ArrayList<>();

  Validation(Log log) {
    this.log = log;
  }

  /** One line for each fault; empty when all is well. */
  List<String> run(ChronicleCollection collection) {
    for (PhysicalPartition partition : collection.physicalPartitions()) {
      Collections.locked(
          partition,
          () -> {
            if (!partition.isDropped()) {
              check(collection, partition);
            }
          });
    }
    return faults.size() > FAULTS_MAX ? faults.subList(0, FAULTS_MAX) : faults;
  }

  /** What the documents of a partition say, to compare with the structures. */
  private static final class Tally {
    long documents;
    long bytes;
    final long[] entries;
    final Map<ByteBuffer, long[]> keys = new HashMap<>();

    Tally(int indexes) {
      entries = new long[indexes];
    }
  }

  private void check(ChronicleCollection collection, PhysicalPartition partition) {
    PartitionFiles files = partition.files();
    verifyFiles(partition, files);
    var tally = new Tally(files.indexes().length);
    long[] ids = new long[PAGE_IDS];
    long[] positions = new long[PAGE_IDS];
    long from = 1;
    for (int n = files.slots().scanUp(from, ids, positions);
        n > 0 && faults.size() < FAULTS_MAX;
        n = files.slots().scanUp(from, ids, positions)) {
      for (int i = 0; i < n; i++) {
        checkRecord(collection, partition, new long[] {ids[i], positions[i]}, tally);
      }
      from = ids[n - 1] + 1;
    }
    compare(partition, files, tally);
  }

  private void verifyFiles(PhysicalPartition partition, PartitionFiles files) {
    try {
      files.slots().verify();
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
      faults.add(partition + ": " + e.getMessage());
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
      faults.add(partition + " record " + recordId + ": " + e.getMessage());
      return;
    }
    PrimaryKey key = collection.keys().of(document);
    if (!partition.range().contains(key.epk()) && collection.keys().isPartitioned()) {
      faults.add(partition + " record " + recordId + ": belongs to another partition");
    }
    if (files.ids().find(key.bytes()) != recordId) {
      faults.add(partition + " record " + recordId + ": not found by its primary key");
    }
    tally.documents++;
    tally.bytes += document.length();
    if (key.logicalKey() != null) {
      long[] pair = tally.keys.computeIfAbsent(ByteBuffer.wrap(key.logicalKey()), k -> new long[2]);
      pair[0] += document.length();
      pair[1]++;
    }
    OrderedIndex[] indexes = files.indexes();
    for (int i = 0; i < indexes.length; i++) {
      for (byte[] indexKey : indexes[i].keysOf(document)) {
        tally.entries[i]++;
        if (!indexes[i].tree().contains(indexKey, recordId)) {
          faults.add(
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
      faults.add(
          partition + " record " + recordId + ": not in the unique keys of " + index.spec().name());
    }
  }

  private void compare(PhysicalPartition partition, PartitionFiles files, Tally tally) {
    var counted = files.statistics();
    expect(partition, "documents", tally.documents, counted.documents());
    expect(partition, "bytes", tally.bytes, counted.bytes());
    expect(partition, "primary keys", tally.documents, files.ids().size());
    OrderedIndex[] indexes = files.indexes();
    for (int i = 0; i < indexes.length; i++) {
      if (indexes[i].entry().ready()) {
        String what = "entries of index " + indexes[i].spec().name();
        expect(partition, what, tally.entries[i], indexes[i].entries());
        if (indexes[i].unique() != null) {
          expect(partition, "unique " + what, tally.entries[i], indexes[i].unique().size());
        }
      }
    }
    if (files.sizes() != null) {
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
      faults.add(partition + ": " + what + ": " + found + " found, " + counted + " counted");
    }
  }
}
