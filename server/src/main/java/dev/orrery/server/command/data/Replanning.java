package dev.orrery.server.command.data;

import dev.orrery.server.command.Workers;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.storage.StorageException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/**
 * Work that finds documents by an index, and begins anew with another plan when the index is
 * dropped before anything was answered or changed.
 */
public final class Replanning {
  /** Somebody would have to drop an index in each of these moments. */
  private static final int ATTEMPTS_MAX = 100;

  private Replanning() {}

  /** Runs work that makes its plan by itself and can be done again as long as it fails. */
  static <T> T run(Supplier<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return work.get();
      } catch (StorageException e) {
        if (!isIndexDropped(e) || attempt == ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }

  /**
   * The same for short work, which is done at once; without the index it may take long, and goes to
   * the pool.
   */
  static CompletionStage<BsonDocument> start(
      Workers workers, boolean isShort, Supplier<BsonDocument> work) {
    if (isShort) {
      try {
        return CompletableFuture.completedFuture(work.get());
      } catch (StorageException e) {
        if (!isIndexDropped(e)) {
          throw e;
        }
      }
    }
    return workers.run(() -> run(work));
  }

  /** The plan that is there already, and for every further attempt another one. */
  static Supplier<QueryPlan> plans(QueryPlan first, Supplier<QueryPlan> further) {
    return new Supplier<>() {
      private boolean isUsed;

      @Override
      public QueryPlan get() {
        QueryPlan plan = isUsed ? further.get() : first;
        isUsed = true;
        return plan;
      }
    };
  }

  public static boolean isIndexDropped(StorageException failure) {
    return failure.reason() == StorageException.Reason.INDEX_DROPPED;
  }
}
