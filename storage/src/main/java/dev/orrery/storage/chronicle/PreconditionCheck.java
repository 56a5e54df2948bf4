package dev.orrery.storage.chronicle;

import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.index.IndexSpec;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides for each operation of a batch, in order, whether it may happen: against the indexes as
 * they are, and against what earlier operations of the same batch are about to do. The locks of all
 * partitions are held.
 */
final class PreconditionCheck {
  /** A key of one structure; the structure is compared by identity. */
  private record KeyOf(Object structure, ByteBuffer key) {}

  private static final byte[] ONE_KEY = {};

  /** What the batch did to a key so far: the record that has it now, or ABSENT. */
  private final Map<KeyOf, Long> changed;

  private final Map<KeyOf, Long> addedBytes;
  private final long logicalPartitionBytesMax;
  private long placeholder = -1;

  PreconditionCheck(boolean hasSeveralOperations, long logicalPartitionBytesMax) {
    this.changed = hasSeveralOperations ? new HashMap<>() : null;
    this.addedBytes = hasSeveralOperations ? new HashMap<>() : null;
    this.logicalPartitionBytesMax = logicalPartitionBytesMax;
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
    if (changed != null && changed.containsKey(recordKey(files, write.before.recordId()))) {
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
    return changed != null && changed.containsKey(new KeyOf(index.tree(), ByteBuffer.wrap(key)));
  }

  private boolean isFull(PartitionFiles files, PendingWrite write) {
    long bytes = files.statistics(write.logicalKey).bytes() + write.bytesAdded();
    if (addedBytes != null) {
      var key = new KeyOf(files, ByteBuffer.wrap(logicalKey(write)));
      bytes += addedBytes.getOrDefault(key, 0L);
    }
    return bytes > logicalPartitionBytesMax;
  }

  private static byte[] logicalKey(PendingWrite write) {
    return write.logicalKey == null ? ONE_KEY : write.logicalKey;
  }

  private long lookUp(KeyIndex index, byte[] key) {
    if (changed != null) {
      Long now = changed.get(new KeyOf(index, ByteBuffer.wrap(key)));
      if (now != null) {
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
      changed.put(recordKey(files, write.recordId), holder);
    }
    if (write.isInsert() || write.isDelete()) {
      changed.put(
          new KeyOf(files.ids(), ByteBuffer.wrap(write.primaryKey)),
          write.isDelete() ? KeyIndex.ABSENT : holder);
    }
    for (PendingWrite.KeyChange change : write.changes) {
      KeyIndex unique = change.index().unique();
      if (unique != null) {
        rememberKeys(unique, write, change.removed(), KeyIndex.ABSENT);
        rememberKeys(unique, write, change.added(), holder);
      } else if (change.index().isPreparedUnique()) {
        for (byte[] key : change.added()) {
          changed.put(new KeyOf(change.index().tree(), ByteBuffer.wrap(key)), holder);
        }
      }
    }
    var key = new KeyOf(files, ByteBuffer.wrap(logicalKey(write)));
    addedBytes.merge(key, write.bytesAdded(), Long::sum);
  }

  private void rememberKeys(KeyIndex unique, PendingWrite write, List<byte[]> keys, long holder) {
    for (byte[] key : keys) {
      changed.put(new KeyOf(unique, ByteBuffer.wrap(write.uniqueKey(key))), holder);
    }
  }

  private static KeyOf recordKey(PartitionFiles files, long recordId) {
    return new KeyOf(files.slots(), ByteBuffer.allocate(Long.BYTES).putLong(0, recordId));
  }

  private static IndexSpec idIndex(PartitionFiles files) {
    return files.indexes()[0].spec();
  }
}
