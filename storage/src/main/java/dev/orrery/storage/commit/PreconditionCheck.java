package dev.orrery.storage.commit;

import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.physical.PendingWrite;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.value.LittleEndian;
import java.util.List;

/**
 * Decides for each operation of a batch, in order, whether it may happen: against the indexes as
 * they are, and against what earlier operations of the same batch are about to do. The locks of all
 * partitions are held.
 */
final class PreconditionCheck {
  private static final byte[] ONE_KEY = {};

  /** What the batch did to a key so far: the record that has it now, or ABSENT. */
  private final BatchKeys changed;

  private final BatchKeys addedBytes;
  private final long logicalPartitionBytesMax;
  private long placeholder = -1;
  private boolean isExpected;

  PreconditionCheck(int operations, long logicalPartitionBytesMax) {
    this.changed = operations > 1 ? new BatchKeys(operations) : null;
    this.addedBytes = operations > 1 ? new BatchKeys(1) : null;
    this.logicalPartitionBytesMax = logicalPartitionBytesMax;
  }

  /**
   * The net changes of a transaction have no order among themselves: two documents may change their
   * keys with each other. So all keys that go are given up first.
   */
  void expect(PendingWrite[] writes) {
    if (changed == null) {
      return;
    }
    isExpected = true;
    for (PendingWrite write : writes) {
      for (PendingWrite.KeyChange change : write.changes) {
        if (change.index().unique() != null) {
          rememberKeys(change.index().unique(), write, change.removed(), KeyIndex.ABSENT);
        }
      }
    }
  }

  WriteOutcome check(PendingWrite write) {
    if (write.problem != null) {
      return WriteOutcome.unindexable(write.problem);
    }
    PhysicalPartition partition = write.partition;
    if (partition.isDropped() || partition.isRetired()) {
      return WriteOutcome.CONFLICT;
    }
    partition.requireHealthy();
    PartitionFiles files = partition.files();
    if (write.isInsert()) {
      if (lookUp(files.ids(), write.primaryKey) != KeyIndex.ABSENT) {
        return WriteOutcome.duplicate(idIndex(files), write.primaryKey);
      }
    } else if (!isUnchanged(files, write)) {
      return WriteOutcome.CONFLICT;
    }
    WriteOutcome violation = checkUnique(write);
    if (violation != null) {
      return violation;
    }
    if (write.bytesAdded() > 0 && isFull(files, write)) {
      return WriteOutcome.partitionKeyFull(logicalPartitionBytesMax);
    }
    remember(files, write);
    return WriteOutcome.APPLIED;
  }

  private boolean isUnchanged(PartitionFiles files, PendingWrite write) {
    if (changed != null && changed.contains(files.slots(), recordKey(write.before.recordId()))) {
      return false; // an earlier operation of this batch changed it
    }
    return files.slots().get(write.before.recordId()) == write.before.version();
  }

  private WriteOutcome checkUnique(PendingWrite write) {
    for (PendingWrite.KeyChange change : write.changes) {
      for (byte[] key : change.added()) {
        if (isTaken(change.index(), key, write)) {
          return WriteOutcome.duplicate(change.index().spec(), key);
        }
      }
    }
    return null;
  }

  private boolean isTaken(OrderedIndex index, byte[] key, PendingWrite write) {
    KeyIndex unique = index.unique();
    if (unique != null) {
      long holder = lookUp(unique, write.uniqueKey(key));
      return holder != KeyIndex.ABSENT && holder != write.recordId;
    }
    return index.isPreparedUnique() && (isAdded(index, key) || index.hasOther(key, write.recordId));
  }

  /** Whether an earlier operation of this batch gave a prepared index the key. */
  private boolean isAdded(OrderedIndex index, byte[] key) {
    return changed != null && changed.contains(index.tree(), key);
  }

  private boolean isFull(PartitionFiles files, PendingWrite write) {
    long bytes = files.statistics(write.logicalKey).bytes() + write.bytesAdded();
    if (addedBytes != null) {
      bytes += addedBytes(files, logicalKey(write));
    }
    return bytes > logicalPartitionBytesMax;
  }

  private long addedBytes(PartitionFiles files, byte[] logicalKey) {
    long added = addedBytes.get(files, logicalKey);
    return added == BatchKeys.UNKNOWN ? 0 : added;
  }

  private static byte[] logicalKey(PendingWrite write) {
    return write.logicalKey == null ? ONE_KEY : write.logicalKey;
  }

  private long lookUp(KeyIndex index, byte[] key) {
    if (changed != null) {
      long now = changed.get(index, key);
      if (now != BatchKeys.UNKNOWN) {
        return now;
      }
    }
    return index.find(key);
  }

  private void remember(PartitionFiles files, PendingWrite write) {
    if (changed == null) {
      return;
    }
    // The record id of an insert is not given yet; any number that no record has will do.
    long holder = write.isInsert() ? placeholder-- : write.recordId;
    if (!write.isInsert()) {
      changed.put(files.slots(), recordKey(write.recordId), holder);
    }
    if (write.isInsert() || write.isDelete()) {
      changed.put(files.ids(), write.primaryKey, write.isDelete() ? KeyIndex.ABSENT : holder);
    }
    for (PendingWrite.KeyChange change : write.changes) {
      KeyIndex unique = change.index().unique();
      if (unique != null) {
        if (!isExpected) {
          rememberKeys(unique, write, change.removed(), KeyIndex.ABSENT);
        }
        rememberKeys(unique, write, change.added(), holder);
      } else if (change.index().isPreparedUnique()) {
        for (byte[] key : change.added()) {
          changed.put(change.index().tree(), key, holder);
        }
      }
    }
    byte[] key = logicalKey(write);
    addedBytes.put(files, key, addedBytes(files, key) + write.bytesAdded());
  }

  private void rememberKeys(KeyIndex unique, PendingWrite write, List<byte[]> keys, long holder) {
    for (byte[] key : keys) {
      changed.put(unique, write.uniqueKey(key), holder);
    }
  }

  private static byte[] recordKey(long recordId) {
    byte[] key = new byte[Long.BYTES];
    LittleEndian.putInt64(key, 0, recordId);
    return key;
  }

  private static IndexSpec idIndex(PartitionFiles files) {
    return files.indexes()[0].spec();
  }
}
