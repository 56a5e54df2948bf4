package dev.orrery.storage.physical;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.index.BTreeCursor;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import java.util.concurrent.CompletionStage;

/**
 * The entries of an index at a point: those that are in the tree or were taken out of it since, as
 * far as the document's version at the point has them.
 */
final class PinnedIndexCursor implements IndexCursor {
  private final PinnedPartition partition;
  private final OrderedIndex index;
  private final BTreeCursor cursor;
  private final boolean isReverse;
  private final BTreeBound low;
  private final BTreeBound high;
  private BTreeBound inTree;
  private boolean isTreeExhausted;

  /** What comes next is behind it. */
  private BTreeBound last;

  private BTreeBound current;

  PinnedIndexCursor(PinnedPartition partition, IndexSpec spec, IndexRange range) {
    this.partition = partition;
    this.isReverse = range.reverse();
    this.low = BTreeBound.low(range);
    this.high = BTreeBound.high(range);
    this.last = isReverse ? high : low;
    PartitionFiles files = partition.enter();
    try {
      this.index = partition.require(files, spec);
      this.cursor = index.cursor(range);
    } finally {
      partition.leave();
    }
  }

  @Override
  public boolean next(WorkMeter meter) {
    meter.examineKeys(1);
    for (; ; ) {
      loadTree();
      BTreeBound removed = removed(); // after the tree: what leaves it is known before
      boolean isRemoved = removed != null && (inTree == null || isBefore(removed, inTree));
      BTreeBound next = isRemoved ? removed : inTree;
      if (next == null) {
        return false;
      }
      last = next; // each comes once, even if it is in both
      if (isRemoved ? partition.hadRemoved(index, next) : partition.had(index, next)) {
        current = next;
        return true;
      }
    }
  }

  private void loadTree() {
    if (isTreeExhausted || inTree != null && isBefore(last, inTree)) {
      return;
    }
    if (!index.tryEnter()) {
      throw PartitionFiles.dropped(index.spec());
    }
    try {
      do {
        isTreeExhausted = !cursor.next();
        inTree = isTreeExhausted ? null : BTreeBound.at(cursor.key(), cursor.recordId());
      } while (inTree != null && !isBefore(last, inTree));
    } finally {
      index.leave();
    }
  }

  /** The next entry within the bounds that was taken out of the tree, or null. */
  private BTreeBound removed() {
    History history = partition.history();
    if (history == null) {
      return null;
    }
    BTreeBound found = history.next(index.entry().id(), last, isReverse, partition.point());
    boolean isInside = found != null && found.compareTo(low) >= 0 && found.compareTo(high) < 0;
    return isInside ? found : null;
  }

  private boolean isBefore(BTreeBound left, BTreeBound right) {
    int order = left.compareTo(right);
    return isReverse ? order > 0 : order < 0;
  }

  @Override
  public byte[] key() {
    return current.key();
  }

  @Override
  public long recordId() {
    return current.recordId();
  }

  @Override
  public PartitionStore.FieldsSeen fieldsSeen() {
    return index.fieldsSeen();
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    return LocalPartition.NO; // all is at hand
  }

  @Override
  public void seek(byte[] key) {
    BTreeBound bound = isReverse ? BTreeBound.after(key) : BTreeBound.before(key);
    if (isBefore(last, bound)) {
      last = bound;
      cursor.seek(bound);
      inTree = null;
      isTreeExhausted = false;
    }
  }
}
