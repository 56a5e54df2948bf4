package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.session.Session;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/** Carries out a write that a client may send twice, once. */
final class RetryableWrites {
  private RetryableWrites() {}

  /** Refuses a statement that may change many documents: it cannot be told how far it came. */
  static void requireSingle(CommandContext context, boolean isSingle, String otherwise) {
    if (!isSingle && context.statements() != null) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS, "Cannot use (or request) retryable writes with " + otherwise);
    }
  }

  /**
   * Runs the write, unless this session ran it before under the same number: then its answer is
   * given again. A write that failed as a whole, or whose answer a restart has lost, is run again,
   * without the statements that were carried out.
   */
  static CompletionStage<BsonDocument> once(
      CommandContext context,
      DataServices services,
      Supplier<CompletionStage<BsonDocument>> write) {
    Long number = context.sessionFields().txnNumber();
    Session session = context.session();
    if (number == null || session == null) {
      return write.get();
    }
    var reply = new CompletableFuture<BsonDocument>();
    boolean mayHaveRun = session.mayHaveRun(number);
    CompletableFuture<BsonDocument> before = session.beginWrite(number, reply);
    if (before != null) {
      return before.thenApply(
          document -> {
            context.awaitDurable(services.databases().engine().lastLsn());
            return document.clone();
          });
    }
    try {
      var records = new RetryRecords(services.databases(), services.clock());
      context.record(new StatementLog(records, context, mayHaveRun));
      write
          .get()
          .whenComplete(
              (document, failure) -> {
                if (failure != null) {
                  session.forgetWrite(number);
                  reply.completeExceptionally(failure);
                } else {
                  reply.complete(document);
                }
              });
    } catch (RuntimeException | Error failure) {
      session.forgetWrite(number);
      throw failure;
    }
    return reply.thenApply(BsonDocument::clone); // the dispatcher adds to what it gets
  }
}
