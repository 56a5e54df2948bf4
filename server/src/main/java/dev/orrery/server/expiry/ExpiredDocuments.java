package dev.orrery.server.expiry;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes room for writes where a document is in their way that is over, but not yet deleted. */
public final class ExpiredDocuments {
  private final StorageEngine engine;
  private final Expiry expiry;

  public ExpiredDocuments(StorageEngine engine, Expiry expiry) {
    this.engine = engine;
    this.expiry = expiry;
  }

  /**
   * What became of a batch: what failed for a key that only an expired document has is a conflict,
   * as that document is gone now and the operation can be tried again.
   */
  public List<WriteOutcome> cleared(WriteBatch batch, List<WriteOutcome> outcomes) {
    List<WriteOutcome> cleared = null;
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i).status() == WriteOutcome.Status.DUPLICATE
          && clear(batch.operations().get(i), outcomes.get(i))) {
        cleared = cleared == null ? new ArrayList<>(outcomes) : cleared;
        cleared.set(i, WriteOutcome.CONFLICT);
      }
    }
    return cleared == null ? outcomes : cleared;
  }

  private boolean clear(WriteOperation operation, WriteOutcome outcome) {
    CollectionStore collection = operation.collection();
    Deadlines deadlines = expiry.of(collection.info());
    if (deadlines == null) {
      return false;
    }
    var meter = new WorkMeter();
    StoredDocument holder = holder(collection, written(operation), outcome, meter);
    if (holder == null || !deadlines.isOver(holder.document())) {
      return false;
    }
    var delete =
        new WriteBatch(
            List.of(new WriteOperation.Delete(collection, holder)), WriteBatch.OnFailure.STOP);
    CommitResult result = Lane.await(engine.commit(delete, meter));
    return result.outcomes().get(0).isApplied();
  }

  private static RawDocument written(WriteOperation operation) {
    return operation instanceof WriteOperation.Insert insert
        ? insert.document()
        : ((WriteOperation.Replace) operation).after();
  }

  /** The document that has the key already; null when it is gone. */
  private static @Nullable StoredDocument holder(
      CollectionStore collection, RawDocument document, WriteOutcome outcome, WorkMeter meter) {
    RawValue key = collection.partitionKeyOf(document);
    PartitionStore partition = collection.partitionOf(key);
    IndexSpec index = outcome.index();
    if (index.isIdIndex()) {
      return Lane.await(partition.find(collection.primaryKey(key, document.field("_id")), meter));
    }
    var range = new IndexRange(outcome.key(), true, outcome.key(), true, false);
    IndexCursor entries = partition.scan(index, range);
    return entries.awaitNext(meter) ? Lane.await(partition.read(entries.recordId(), meter)) : null;
  }
}
