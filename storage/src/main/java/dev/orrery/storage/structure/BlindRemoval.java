package dev.orrery.storage.structure;

import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.index.BTreeCursor;
import dev.orrery.storage.keyindex.KeyIndex;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a document out of the structures of its partition that cannot be read any more. Nobody can
 * tell its index keys then, so every entry is looked at for the record. As in a replay, only those
 * structures are changed that were saved before the record of the removal.
 */
public final class BlindRemoval {
  /** Of a removal that is later than all that was saved. */
  public static final long NOW = Long.MAX_VALUE;

  private final PartitionFiles files;
  private final long lsn;

  public BlindRemoval(PartitionFiles files, long lsn) {
    this.files = files;
    this.lsn = lsn;
  }

  /**
   * @param bytes how long the document was, as far as the log can still tell
   */
  public void run(PrimaryKey key, long recordId, int bytes) {
    for (OrderedIndex index : files.indexes()) {
      if (lsn > index.tree().lsn()) {
        removeEntries(index, recordId);
      }
      if (index.unique() != null) {
        removeKeys(index.unique(), recordId);
      }
    }
    if (lsn > files.ids().appliedLsn(key.bytes()) && files.ids().find(key.bytes()) == recordId) {
      files.ids().remove(key.bytes());
    }
    if (lsn > files.slots().lsn()) {
      files.slots().set(recordId, 0);
      files.countBytes(-bytes);
    }
    if (files.sizes() != null && lsn > files.sizes().appliedLsn(key.logicalKey())) {
      files.countKey(key.logicalKey(), -bytes, -1);
    }
  }

  private static void removeEntries(OrderedIndex index, long recordId) {
    List<byte[]> keys = new ArrayList<>();
    BTreeCursor entries = index.tree().ascending(BTreeBound.START, BTreeBound.END);
    while (entries.next()) {
      if (entries.recordId() == recordId) {
        keys.add(entries.key());
      }
    }
    keys.forEach(key -> index.tree().remove(key, recordId));
  }

  private void removeKeys(KeyIndex unique, long recordId) {
    List<byte[]> keys = new ArrayList<>();
    unique.forEach(
        (key, holder, unused) -> {
          if (holder == recordId && lsn > unique.appliedLsn(key)) {
            keys.add(key);
          }
        });
    keys.forEach(unique::remove);
  }
}
