package dev.orrery.storage.physical;

import dev.orrery.storage.Change;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a batch, worked out before any lock is taken: where it goes, and which index
 * entries it adds and removes.
 */
public final class PendingWrite {
  /** The entries of one index that a write changes. */
  public record KeyChange(OrderedIndex index, List<byte[]> added, List<byte[]> removed) {}

  private static final int KEYS_MANY = 1_000;

  /** What a key takes beside its bytes, here and on its way into a tree. */
  private static final long KEY_BYTES = 64;

  public final PhysicalPartition partition;

  /**
   * The indexes that {@link #changes} were computed for; they may be others when the lock is held.
   */
  public final OrderedIndex[] indexes;

  public final StoredDocument before;
  public final RawDocument after;
  public final byte[] primaryKey;
  public final byte[] logicalKey;
  public final List<KeyChange> changes;

  /** Why the document cannot be indexed; null when it can. */
  public final IndexKeyException problem;

  public long recordId;

  /** What followers of changes are told of the difference; null when that is nothing. */
  public @Nullable RawDocument delta;

  /** Whether followers of changes may see the version before. */
  public boolean keepsBefore;

  /** What a delete leaves in the log: partition key and {@code _id}. */
  public byte[] documentKey;

  /**
   * @param before the version to replace or delete; null for an insert
   * @param after the new version; null for a delete
   */
  PendingWrite(Target target, StoredDocument before, RawDocument after, Keys keys) {
    this.partition = target.partition();
    this.indexes = target.indexes();
    this.primaryKey = target.key().bytes();
    this.logicalKey = target.key().logicalKey();
    this.before = before;
    this.after = after;
    this.changes = keys.changes();
    this.problem = keys.problem();
    this.recordId = before == null ? 0 : before.recordId();
  }

  /** Where a write goes. */
  record Target(PhysicalPartition partition, OrderedIndex[] indexes, PrimaryKey key) {}

  /** What a write does to the indexes, or why it cannot. */
  record Keys(List<KeyChange> changes, IndexKeyException problem) {}

  /** The key of a unique index: unique among the documents of one partition key. */
  public byte[] uniqueKey(byte[] indexKey) {
    return PrimaryKeys.uniqueKey(logicalKey, indexKey);
  }

  /** The keys that this write may add to maps. */
  public void collectNewKeys(Map<KeyIndex, List<byte[]>> newKeys) {
    if (isDelete()) {
      return;
    }
    PartitionFiles files = partition.files();
    if (isInsert()) {
      newKeys.computeIfAbsent(files.ids(), map -> new ArrayList<>()).add(primaryKey);
      if (files.sizes() != null) {
        newKeys.computeIfAbsent(files.sizes(), map -> new ArrayList<>()).add(logicalKey);
      }
    }
    for (KeyChange change : changes) {
      KeyIndex unique = change.index().unique();
      if (unique != null) {
        var keys = newKeys.computeIfAbsent(unique, map -> new ArrayList<>());
        change.added().forEach(key -> keys.add(uniqueKey(key)));
      }
    }
  }

  /** Makes room for the keys of this write alone. */
  public void makeRoom() {
    if (isDelete()) {
      return;
    }
    PartitionFiles files = partition.files();
    if (isInsert()) {
      files.ids().prepare(primaryKey);
      if (files.sizes() != null) {
        files.sizes().prepare(logicalKey);
      }
    }
    for (KeyChange change : changes) {
      KeyIndex unique = change.index().unique();
      if (unique != null && change.added().size() == 1) {
        unique.prepare(uniqueKey(change.added().get(0)));
      } else if (unique != null) {
        unique.prepare(change.added().stream().map(this::uniqueKey).toList());
      }
    }
  }

  /** What its keys take in memory, about; 0 where there are few of them. */
  public long manyKeysBytes() {
    long bytes = 0;
    for (KeyChange change : changes) {
      bytes += bytesOf(change.added()) + bytesOf(change.removed());
    }
    return bytes;
  }

  private static long bytesOf(List<byte[]> keys) {
    return keys.size() < KEYS_MANY ? 0 : keys.size() * (KEY_BYTES + keys.get(0).length);
  }

  public boolean isInsert() {
    return before == null;
  }

  public boolean isDelete() {
    return after == null;
  }

  public long bytesAdded() {
    long added = after == null ? 0 : after.length();
    return before == null ? added : added - before.document().length();
  }

  public int documentsAdded() {
    if (before == null) {
      return 1;
    }
    return after == null ? -1 : 0;
  }

  /** What the write is priced by. */
  public Change.Effort effort() {
    int unique = 0;
    for (OrderedIndex index : indexes) { // the one on _id is none of them
      unique += index.unique() == null ? 0 : 1;
    }
    int bytesBefore = before == null ? 0 : before.document().length();
    return new Change.Effort(bytesBefore, termsAdded() + termsRemoved(), unique);
  }

  public int termsAdded() {
    int count = 0;
    for (KeyChange change : changes) {
      count += change.added().size();
    }
    return count;
  }

  public int termsRemoved() {
    int count = 0;
    for (KeyChange change : changes) {
      count += change.removed().size();
    }
    return count;
  }
}
