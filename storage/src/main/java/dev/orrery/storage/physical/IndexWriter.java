package dev.orrery.storage.physical;

import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Applies a write that is in the log to the structures of its partition. Every step is absolute, so
 * doing it again changes nothing; only the counts are not, and recovery guards those.
 *
 * <p>First comes what the write adds, then what it takes away: a reader may meet a document twice
 * but never misses it.
 */
public final class IndexWriter {
  private IndexWriter() {}

  static void apply(PartitionFiles files, PendingWrite write, long position) {
    add(files, write, position);
    remove(files, write);
  }

  /** Adds what the write brings. What a deletion ends stays, to be found and known as deleted. */
  public static void add(PartitionFiles files, PendingWrite write, long position) {
    applyToMaps(files, write, position);
    for (PendingWrite.KeyChange change : write.changes) {
      for (byte[] key : change.added()) {
        change.index().tree().insert(key, write.recordId);
        putUnique(change.index(), write, key);
      }
    }
    count(files, write);
  }

  /** The same for an insert, but leaves what it adds to trees to be done later. */
  public static void addInsert(
      PartitionFiles files, PendingWrite write, long position, TreeInserts inserts) {
    applyToMaps(files, write, position);
    for (PendingWrite.KeyChange change : write.changes) {
      for (byte[] key : change.added()) {
        inserts.add(change.index().tree(), key, write.recordId);
        putUnique(change.index(), write, key);
      }
    }
    count(files, write);
  }

  private static void count(PartitionFiles files, PendingWrite write) {
    files.countBytes(write.bytesAdded());
    files.countKey(write.logicalKey, write.bytesAdded(), write.documentsAdded());
  }

  private static void applyToMaps(PartitionFiles files, PendingWrite write, long position) {
    files.slots().set(write.recordId, write.isDelete() ? -position : position);
    if (write.isInsert()) {
      files.ids().put(write.primaryKey, write.recordId);
    }
  }

  private static void putUnique(OrderedIndex index, PendingWrite write, byte[] key) {
    if (index.unique() != null) {
      index.unique().put(write.uniqueKey(key), write.recordId);
    }
  }

  /** Takes away what the write ends. */
  public static void remove(PartitionFiles files, PendingWrite write) {
    removeKeys(write);
    if (write.isDelete()) {
      // Another operation of the same commit may have given the key to another record.
      if (files.ids().find(write.primaryKey) == write.recordId) {
        files.ids().remove(write.primaryKey);
      }
      files.slots().set(write.recordId, 0);
    }
  }

  private static void removeKeys(PendingWrite write) {
    for (PendingWrite.KeyChange change : write.changes) {
      KeyIndex unique = change.index().unique();
      for (byte[] key : change.removed()) {
        change.index().tree().remove(key, write.recordId);
        if (unique != null && unique.find(write.uniqueKey(key)) == write.recordId) {
          unique.remove(write.uniqueKey(key));
        }
      }
    }
  }

  /** The keys of {@code left} that {@code right} lacks; both sorted. */
  public static List<byte[]> minus(List<byte[]> left, List<byte[]> right) {
    if (right.isEmpty()) {
      return left;
    }
    var rest = new ArrayList<byte[]>(left.size());
    int other = 0;
    for (byte[] key : left) {
      while (other < right.size() && Arrays.compareUnsigned(right.get(other), key) < 0) {
        other++;
      }
      if (other == right.size() || !Arrays.equals(right.get(other), key)) {
        rest.add(key);
      }
    }
    return rest;
  }
}
