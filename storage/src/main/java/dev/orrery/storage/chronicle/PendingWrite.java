package dev.orrery.storage.chronicle;

import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.index.IndexKeyException;
import dev.orrery.storage.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One operation of a batch, worked out before any lock is taken: where it goes, and which index
 * entries it adds and removes.
 */
final class PendingWrite {
  /** The entries of one index that a write changes. */
  record KeyChange(OrderedIndex index, List<byte[]> added, List<byte[]> removed) {}

  final PhysicalPartition partition;

  /**
   * The indexes that {@link #changes} were computed for; they may be others when the lock is held.
   */
  final OrderedIndex[] indexes;

  final StoredDocument before;
  final RawDocument after;
  final byte[] primaryKey;
  final byte[] logicalKey;
  final List<KeyChange> changes;

  /** Why the document cannot be indexed; null when it can. */
  final IndexKeyException problem;

  long recordId;

  /** What a delete leaves in the log: partition key and {@code _id}. */
  byte[] documentKey;

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
  byte[] uniqueKey(byte[] indexKey) {
    return PrimaryKeys.uniqueKey(logicalKey, indexKey);
  }

  /** The keys that this write may add to maps. */
  void collectNewKeys(Map<KeyIndex, List<byte[]>> newKeys) {
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
  void makeRoom() {
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

  boolean isInsert() {
    return before == null;
  }

  boolean isDelete() {
    return after == null;
  }

  long bytesAdded() {
    long added = after == null ? 0 : after.length();
    return before == null ? added : added - before.document().length();
  }

  int documentsAdded() {
    if (before == null) {
      return 1;
    }
    return after == null ? -1 : 0;
  }

  int termsAdded() {
    int count = 0;
    for (KeyChange change : changes) {
      count += change.added().size();
    }
    return count;
  }

  int termsRemoved() {
    int count = 0;
    for (KeyChange change : changes) {
      count += change.removed().size();
    }
    return count;
  }
}
