package dev.orrery.storage.overlay;

import dev.orrery.storage.Fetch;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.value.BsonEncoder;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A partition as a transaction sees it: as it was at the snapshot, and changed. */
final class OverlayPartition implements PartitionStore {
  private final OwnCollection collection;
  private final PartitionStore snapshot;

  OverlayPartition(OwnCollection collection, PartitionStore snapshot) {
    this.collection = collection;
    this.snapshot = snapshot;
  }

  /** What the transaction changed here; null for nothing. */
  @Nullable OwnPart own() {
    return collection.part(range());
  }

  boolean isOwn(long recordId) {
    OwnPart own = own();
    return own != null && own.find(recordId) != null;
  }

  OwnPart.Entries entries(OwnPart own, IndexSpec index) {
    return own.entries(index, collection.ground());
  }

  /** A document of the snapshot as it is now; null when it is gone. */
  @Nullable StoredDocument seen(StoredDocument found) {
    OwnPart own = own();
    OwnDocument changed = own == null ? null : own.find(found.recordId());
    return changed == null ? found : changed.stored();
  }

  @Override
  public int id() {
    return snapshot.id();
  }

  @Override
  public EpkRange range() {
    return snapshot.range();
  }

  @Override
  public CompletionStage<@Nullable StoredDocument> find(byte[] primaryKey, WorkMeter meter) {
    OwnDocument own = collection.find(primaryKey);
    if (own == null) {
      return snapshot.find(primaryKey, meter);
    }
    return CompletableFuture.completedFuture(metered(own, meter));
  }

  private static @Nullable StoredDocument metered(OwnDocument own, WorkMeter meter) {
    StoredDocument stored = own.stored();
    if (stored != null) {
      meter.loadDocument(stored.document().length());
    }
    return stored;
  }

  @Override
  public CompletionStage<Boolean> copy(byte[] primaryKey, BsonEncoder out, WorkMeter meter) {
    OwnDocument own = collection.find(primaryKey);
    if (own == null) {
      return snapshot.copy(primaryKey, out, meter);
    }
    StoredDocument stored = metered(own, meter);
    if (stored != null) {
      out.writeDocument(stored.document());
    }
    return CompletableFuture.completedFuture(stored != null);
  }

  @Override
  public CompletionStage<?> fetch(Fetch records, WorkMeter meter) {
    OwnPart own = own();
    if (own == null) {
      return snapshot.fetch(records, meter);
    }
    var others = new Fetch(records.size());
    int[] places = new int[records.size()];
    for (int i = 0; i < records.size(); i++) {
      OwnDocument changed = own.find(records.recordId(i));
      if (changed != null) {
        records.found(i, metered(changed, meter));
      } else {
        places[others.size()] = i;
        others.add(records.recordId(i));
      }
    }
    return snapshot
        .fetch(others, meter)
        .thenAccept(
            done -> {
              for (int i = 0; i < others.size(); i++) {
                records.found(places[i], others.take(i));
              }
            });
  }

  @Override
  public int fetchSize() {
    return snapshot.fetchSize();
  }

  @Override
  public RecordCursor scan(boolean reverse) {
    return new OverlayScan(this, snapshot.scan(reverse), reverse);
  }

  @Override
  public IndexCursor scan(IndexSpec index, IndexRange range) {
    return new OverlayIndexCursor(this, index, range, snapshot.scan(index, range));
  }

  @Override
  public OptionalLong estimate(IndexSpec index, IndexRange range) {
    OwnPart own = own();
    OptionalLong estimate = snapshot.estimate(index, range);
    return own == null || estimate.isEmpty()
        ? estimate
        : OptionalLong.of(estimate.getAsLong() + own.size());
  }

  @Override
  public PartitionStatistics statistics() {
    return snapshot.statistics();
  }

  @Override
  public IndexStatistics statistics(IndexSpec index) {
    IndexStatistics present = snapshot.statistics(index);
    OwnPart own = own();
    return own == null
        ? present
        : new IndexStatistics(
            present.entries(), present.bytes(), present.fields().with(entries(own, index).seen()));
  }

  @Override
  public FieldsSeen fieldsSeen(IndexSpec index) {
    FieldsSeen present = snapshot.fieldsSeen(index);
    OwnPart own = own();
    return own == null ? present : present.with(entries(own, index).seen());
  }

  @Override
  public @Nullable PartitionStatistics statisticsAtHand() {
    return snapshot.statisticsAtHand();
  }

  @Override
  public @Nullable LargestKey largestKey() {
    return snapshot.largestKey();
  }

  @Override
  public String toString() {
    return snapshot + " in a transaction";
  }
}
