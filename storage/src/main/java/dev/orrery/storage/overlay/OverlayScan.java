package dev.orrery.storage.overlay;

import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The documents of a partition in natural order, those that the transaction brought at the end. */
final class OverlayScan implements RecordCursor {
  private final OverlayPartition partition;
  private final RecordCursor snapshot;
  private final boolean isReverse;
  private boolean isSnapshotDone;
  private @Nullable Long last;

  OverlayScan(OverlayPartition partition, RecordCursor snapshot, boolean isReverse) {
    this.partition = partition;
    this.snapshot = snapshot;
    this.isReverse = isReverse;
  }

  @Override
  public @Nullable StoredDocument next(WorkMeter meter) {
    if (isReverse || isSnapshotDone) {
      StoredDocument own = nextInserted(meter);
      if (own != null || isSnapshotDone) {
        return own;
      }
    }
    for (; ; ) {
      StoredDocument found = snapshot.next(meter);
      if (found == null) {
        return null;
      }
      StoredDocument seen = partition.seen(found);
      if (seen != null) {
        return seen;
      }
    }
  }

  private @Nullable StoredDocument nextInserted(WorkMeter meter) {
    OwnPart own = partition.own();
    for (; own != null; ) {
      Map.Entry<Long, OwnDocument> entry = following(own);
      if (entry == null) {
        return null;
      }
      last = entry.getKey();
      StoredDocument stored = entry.getValue().stored();
      if (stored != null) {
        meter.loadDocument(stored.document().length());
        return stored;
      }
    }
    return null;
  }

  private Map.@Nullable Entry<Long, OwnDocument> following(OwnPart own) {
    if (last == null) {
      return isReverse ? own.inserted().lastEntry() : own.inserted().firstEntry();
    }
    return isReverse ? own.inserted().lowerEntry(last) : own.inserted().higherEntry(last);
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    if (isSnapshotDone) {
      OwnPart own = partition.own();
      boolean isMore = !isReverse && own != null && following(own) != null;
      return CompletableFuture.completedFuture(isMore);
    }
    return snapshot.load(meter).thenApply(this::loaded);
  }

  private boolean loaded(boolean isMore) {
    isSnapshotDone = !isMore;
    OwnPart own = partition.own();
    return isMore || !isReverse && own != null && following(own) != null;
  }
}
