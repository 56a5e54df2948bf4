package dev.orrery.storage.overlay;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTreeBound;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Entries of an index at the snapshot without those of documents that the transaction changed, and
 * the entries that these have now, merged.
 */
final class OverlayIndexCursor implements IndexCursor {
  private final OverlayPartition partition;
  private final IndexSpec index;
  private final IndexCursor snapshot;
  private final IndexRange range;
  private @Nullable BTreeBound waiting;
  private boolean isSnapshotDone;
  private BTreeBound place;
  private @Nullable BTreeBound present;

  OverlayIndexCursor(
      OverlayPartition partition, IndexSpec index, IndexRange range, IndexCursor snapshot) {
    this.partition = partition;
    this.index = index;
    this.range = range;
    this.snapshot = snapshot;
    this.place = range.reverse() ? BTreeBound.high(range) : BTreeBound.low(range);
  }

  @Override
  public boolean next(WorkMeter meter) {
    if (!isSnapshotReady(meter)) {
      return false;
    }
    BTreeBound own = following();
    if (own == null && waiting == null) {
      return false;
    }
    if (waiting == null || own != null && isBefore(own, waiting)) {
      present = own;
      place = range.reverse() ? own : BTreeBound.afterEntry(own.key(), own.recordId());
    } else {
      present = waiting;
      waiting = null;
    }
    return true;
  }

  private boolean isSnapshotReady(WorkMeter meter) {
    while (waiting == null && !isSnapshotDone) {
      if (!snapshot.next(meter)) {
        return false;
      }
      if (!partition.isOwn(snapshot.recordId())) {
        waiting = BTreeBound.at(snapshot.key(), snapshot.recordId());
      }
    }
    return true;
  }

  private boolean isBefore(BTreeBound one, BTreeBound other) {
    int order = one.compareTo(other);
    return range.reverse() ? order > 0 : order < 0;
  }

  /** The next entry of the transaction's documents; null at the end. */
  private @Nullable BTreeBound following() {
    OwnPart own = partition.own();
    if (own == null) {
      return null;
    }
    var entries = partition.entries(own, index).byKey;
    BTreeBound found = range.reverse() ? entries.lowerKey(place) : entries.ceilingKey(place);
    if (found == null) {
      return null;
    }
    boolean isInside =
        range.reverse()
            ? found.compareTo(BTreeBound.low(range)) >= 0
            : found.compareTo(BTreeBound.high(range)) < 0;
    return isInside ? found : null;
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    if (isSnapshotDone) {
      return CompletableFuture.completedFuture(following() != null);
    }
    return snapshot.load(meter).thenApply(this::loaded);
  }

  private boolean loaded(boolean isMore) {
    isSnapshotDone = !isMore;
    return isMore || following() != null;
  }

  @Override
  public byte[] key() {
    return present.key();
  }

  @Override
  public long recordId() {
    return present.recordId();
  }

  @Override
  public FieldsSeen fieldsSeen() {
    FieldsSeen seen = snapshot.fieldsSeen();
    OwnPart own = partition.own();
    return own == null ? seen : seen.with(partition.entries(own, index).seen());
  }

  @Override
  public void seek(byte[] key) {
    BTreeBound target = range.reverse() ? BTreeBound.after(key) : BTreeBound.before(key);
    if (isBefore(place, target)) {
      place = target;
    }
    if (waiting == null || isBefore(waiting, target)) {
      waiting = null;
      snapshot.seek(key);
    }
  }
}
