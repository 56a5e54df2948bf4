package dev.orrery.server.command.data;

import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The removal of documents that a plan finds. */
final class Deletion {
  private static final int CHUNK_MAX = 500;

  private final DataServices services;
  private final DocumentWriter writer;
  private final CollectionStore collection;
  private final Supplier<QueryPlan> plans;

  /** What was removed so far; a deletion that was left goes on with the rest. */
  private long count;

  /**
   * @param plans gives a plan for each attempt: the last one may have lost its index
   */
  Deletion(
      DataServices services,
      DocumentWriter writer,
      CollectionStore collection,
      Supplier<QueryPlan> plans) {
    this.services = services;
    this.writer = writer;
    this.collection = collection;
    this.plans = plans;
  }

  /** Removes the first document that is found; what it was, or null when there is none. */
  @Nullable PlanResult deleteOne() {
    QueryPlan plan = plans.get();
    for (; ; ) {
      writer.checkDeadline();
      try (DocumentCursor results = plan.open(execution(plan))) {
        PlanResult result = results.next();
        if (result == null) {
          return null;
        }
        WriteOutcome outcome = writer.commit(delete(result.stored()));
        if (outcome.isApplied()) {
          return result;
        }
      }
      DocumentWriter.requireExists(collection);
    }
  }

  /** Removes everything that is found; how much it was. */
  long deleteAll() {
    QueryPlan plan = plans.get();
    // A document that changed between being found and being deleted is looked for again.
    for (boolean isDone = false; !isDone; ) {
      isDone = true;
      try (DocumentCursor results = plan.open(execution(plan))) {
        for (List<WriteOperation> chunk = next(results); !chunk.isEmpty(); chunk = next(results)) {
          int deleted = commit(chunk);
          isDone &= deleted == chunk.size();
          count += deleted;
        }
      } catch (StorageException e) {
        if (count == 0 || !Replanning.isIndexDropped(e)) {
          throw e; // whoever called begins anew
        }
        isDone = false;
        plan = plans.get();
      }
      isDone |= !collection.exists();
    }
    return count;
  }

  private List<WriteOperation> next(DocumentCursor results) {
    var chunk = new ArrayList<WriteOperation>();
    while (chunk.size() < CHUNK_MAX) {
      PlanResult result = results.next();
      if (result == null) {
        break;
      }
      chunk.add(delete(result.stored()));
    }
    return chunk;
  }

  private int commit(List<WriteOperation> chunk) {
    int deleted = 0;
    for (WriteOutcome outcome : writer.commit(chunk, WriteBatch.OnFailure.CONTINUE)) {
      deleted += outcome.isApplied() ? 1 : 0;
    }
    return deleted;
  }

  private WriteOperation delete(StoredDocument document) {
    return new WriteOperation.Delete(collection, document);
  }

  private Execution execution(QueryPlan plan) {
    return writer.execution(services, collection, plan);
  }
}
