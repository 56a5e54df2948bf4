package dev.orrery.storage.structure;

import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.index.BTreeCursor;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Which records a partition has, from an index with an entry for every document, and what the log
 * says after it. Where compaction has removed the records of deletions from the log, this tells
 * documents that are deleted from those that are not.
 */
final class LiveRecords {
  private static final int CHUNK_SHIFT = 16;

  private final Map<Long, BitSet> chunks = new HashMap<>();
  private final long lsn;
  private long count;

  private LiveRecords(long lsn) {
    this.lsn = lsn;
  }

  /** Whether an index has an entry for every document, whatever the document is. */
  static boolean areIn(IndexSpec index) {
    return !index.isSparse()
        && index.partialFilter() == null
        && index.fields().stream()
            .allMatch(
                field ->
                    field.kind() == IndexField.Kind.ORDERED
                        || field.kind() == IndexField.Kind.HASHED);
  }

  /** The records that the last checkpoint of such an index has. */
  static LiveRecords of(BTree tree) {
    var live = new LiveRecords(tree.lsn());
    BTreeCursor cursor = tree.ascending(BTreeBound.START, BTreeBound.END);
    while (cursor.next()) {
      live.set(cursor.recordId(), true);
    }
    return live;
  }

  /** Takes note of a record of the log; those that the index has already change nothing. */
  void follow(long recordLsn, byte kind, long recordId) {
    if (recordLsn > lsn && (kind == DataRecord.INSERT || kind == DataRecord.DELETE)) {
      set(recordId, kind == DataRecord.INSERT);
    }
  }

  private void set(long recordId, boolean isLive) {
    BitSet chunk = chunks.computeIfAbsent(recordId >> CHUNK_SHIFT, none -> new BitSet());
    int bit = (int) recordId & (1 << CHUNK_SHIFT) - 1;
    if (chunk.get(bit) != isLive) {
      chunk.set(bit, isLive);
      count += isLive ? 1 : -1;
    }
  }

  boolean contains(long recordId) {
    BitSet chunk = chunks.get(recordId >> CHUNK_SHIFT);
    return chunk != null && chunk.get((int) recordId & (1 << CHUNK_SHIFT) - 1);
  }

  long count() {
    return count;
  }
}
