package dev.orrery.server.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/**
 * A write that leaves its thread when a transaction has what it is to change, and goes on where it
 * was when that has ended.
 */
public final class ResumableWrite {
  private final CallWait waits;
  private final Supplier<BsonDocument> rest;

  /**
   * @param rest goes on where the write was left, on a thread that may wait
   */
  public ResumableWrite(Workers workers, CommandContext context, Supplier<BsonDocument> rest) {
    this.waits = new CallWait(workers, context);
    this.rest = rest;
  }

  /** Begins the write in that way, and ends it in any other. */
  public CompletionStage<BsonDocument> start(Supplier<CompletionStage<BsonDocument>> first) {
    CompletableFuture<BsonDocument> stage;
    try {
      stage = first.get().toCompletableFuture();
    } catch (ClaimedException claimed) {
      return resume(claimed);
    }
    if (stage.isDone() && !stage.isCompletedExceptionally()) {
      return stage;
    }
    return stage
        .handle((reply, failure) -> failure == null ? stage : recover(stage, failure))
        .thenCompose(next -> next);
  }

  private CompletionStage<BsonDocument> recover(
      CompletableFuture<BsonDocument> stage, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof ClaimedException claimed ? resume(claimed) : stage;
  }

  private CompletionStage<BsonDocument> resume(ClaimedException claimed) {
    return waits.await(
        claimed.freed(), () -> start(() -> CompletableFuture.completedFuture(rest.get())));
  }
}
