package dev.orrery.storage.recovery;

import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.physical.IndexWriter;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.util.List;

/**
 * Applies a record of the log again, to those structures of its partition that were saved before it
 * and to no other. So nothing is counted twice, no index sees what documents were before it
 * existed, and none misses what another has already.
 */
final class RecordReplay {
  private final PartitionFiles files;
  private final long lsn;

  RecordReplay(PartitionFiles files, long lsn) {
    this.files = files;
    this.lsn = lsn;
  }

  /**
   * What a record did.
   *
   * @param before null for an insert
   * @param after null for a delete
   */
  record Change(PrimaryKey key, long recordId, RawDocument before, RawDocument after) {
    boolean isReplace() {
      return before != null && after != null;
    }

    long bytesAdded() {
      return (after == null ? 0 : after.length()) - (before == null ? 0 : before.length());
    }

    int documentsAdded() {
      return (after == null ? 0 : 1) - (before == null ? 0 : 1);
    }
  }

  /** The same version at another place. */
  void move(long recordId, long from, long to) {
    if (lsn > files.slots().lsn()) {
      files.slots().replace(recordId, from, to);
    }
  }

  void apply(Change change, long position) {
    if (lsn > files.slots().lsn()) {
      files.slots().set(change.recordId(), change.after() == null ? 0 : position);
      files.countBytes(change.bytesAdded());
    }
    applyToIds(change);
    byte[] logicalKey = change.key().logicalKey();
    if (files.sizes() != null && lsn > files.sizes().appliedLsn(logicalKey)) {
      files.countKey(logicalKey, change.bytesAdded(), change.documentsAdded());
    }
    for (OrderedIndex index : files.indexes()) {
      apply(index, change);
    }
  }

  private void applyToIds(Change change) {
    byte[] key = change.key().bytes();
    if (change.isReplace() || lsn <= files.ids().appliedLsn(key)) {
      return;
    }
    if (change.after() == null) {
      files.ids().remove(key);
    } else {
      files.ids().put(key, change.recordId());
    }
  }

  private void apply(OrderedIndex index, Change change) {
    boolean hasTree = lsn <= index.tree().lsn();
    boolean hasMap = index.unique() == null || lsn <= index.unique().checkpointLsn();
    if (hasTree && hasMap) {
      return;
    }
    List<byte[]> old = keys(index, change.before());
    List<byte[]> fresh = keys(index, change.after());
    for (byte[] key : IndexWriter.minus(fresh, old)) {
      if (!hasTree) {
        index.tree().insert(key, change.recordId());
      }
      if (!hasMap) {
        putUnique(index.unique(), change, key);
      }
    }
    for (byte[] key : IndexWriter.minus(old, fresh)) {
      if (!hasTree) {
        index.tree().remove(key, change.recordId());
      }
      if (!hasMap) {
        removeUnique(index.unique(), change, key);
      }
    }
  }

  private static List<byte[]> keys(OrderedIndex index, RawDocument document) {
    try {
      return document == null ? List.of() : index.keysOf(document);
    } catch (IndexKeyException e) {
      throw new IllegalStateException("an index refuses what it took before", e);
    }
  }

  /** Parts of a map are saved at different moments, so it is the key that decides. */
  private void putUnique(KeyIndex unique, Change change, byte[] indexKey) {
    byte[] key = PrimaryKeys.uniqueKey(change.key().logicalKey(), indexKey);
    if (lsn > unique.appliedLsn(key)) {
      unique.put(key, change.recordId());
    }
  }

  private void removeUnique(KeyIndex unique, Change change, byte[] indexKey) {
    byte[] key = PrimaryKeys.uniqueKey(change.key().logicalKey(), indexKey);
    if (lsn > unique.appliedLsn(key) && unique.find(key) == change.recordId()) {
      unique.remove(key);
    }
  }
}
