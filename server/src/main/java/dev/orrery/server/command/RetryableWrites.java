package dev.orrery.server.command;

import dev.orrery.server.session.Session;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/** Carries out a write that a client may send twice, once. */
final class RetryableWrites {
  private RetryableWrites() {}

  /**
   * Runs the write, unless this session ran it before under the same number: then its answer is
   * given again. A write that failed as a whole is run again.
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
    CompletableFuture<BsonDocument> before = session.beginWrite(number, reply);
    if (before != null) {
      return before.thenApply(
          document -> {
            context.awaitDurable(services.databases().engine().lastLsn());
            return document.clone();
          });
    }
    try {
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
