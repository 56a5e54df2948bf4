package dev.orrery.storage.overlay;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unique keys that a transaction sees. A key that somebody gave up after the transaction began
 * is free for all others, and still seen by the transaction: it must not give it to a second
 * document.
 */
final class SeenKeys {
  private final Ground ground;
  private final CollectionStore collection;
  private final OverlayPartition partition;

  SeenKeys(Ground ground, CollectionStore collection, OverlayPartition partition) {
    this.ground = ground;
    this.collection = collection;
    this.partition = partition;
  }

  /**
   * The index in which a change would give a document a key that another one is seen with; null for
   * none.
   *
   * @param recordId of the document that changes
   */
  @Nullable IndexSpec taken(@Nullable RawDocument before, RawDocument after, long recordId) {
    for (IndexSpec index : collection.info().readyIndexes()) {
      boolean isChecked = index.isUnique() && !index.isIdIndex();
      if (isChecked && ground.snapshot().has(collection, index)) {
        List<byte[]> old = before == null ? List.of() : ground.keys(index).extract(before).keys();
        for (byte[] key : ground.keys(index).extract(after).keys()) {
          boolean isAdded = old.stream().noneMatch(one -> Arrays.equals(one, key));
          if (isAdded && isTaken(index, key, after, recordId)) {
            return index;
          }
        }
      }
    }
    return null;
  }

  private boolean isTaken(IndexSpec index, byte[] key, RawDocument after, long recordId) {
    var meter = new WorkMeter();
    IndexCursor entries = partition.scan(index, new IndexRange(key, true, key, true, false));
    while (entries.awaitNext(meter)) {
      StoredDocument other =
          entries.recordId() == recordId
              ? null
              : Lane.await(partition.read(entries.recordId(), meter));
      if (other != null && isSameScope(other.document(), after)) {
        return true;
      }
    }
    return false;
  }

  /** Keys are unique among the documents of one partition key. */
  private boolean isSameScope(RawDocument one, RawDocument other) {
    return collection.keyOf(one).epk().equals(collection.keyOf(other).epk());
  }
}
