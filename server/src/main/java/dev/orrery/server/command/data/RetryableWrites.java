package dev.orrery.server.command.data;

import dev.orrery.server.command.CommandContext;
import dev.orrery.server.session.Session;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.bson.BsonDocument;

/** Carries out a write that a client may send twice, once. */
final class RetryableWrites {
  private RetryableWrites() {}

  /**
   * Runs the write, unless this session ran it before under the same number: then its answer is
   * given again. A write that failed as a whole, or whose answer a restart has lost, is run again,
   * without the statements that were carried out.
   */
  static CompletionStage<BsonDocument> once(
      CommandContext context,
      DataServices services,
      Function<DocumentWriter, CompletionStage<BsonDocument>> write) {
    Long number = context.sessionFields().txnNumber();
    Session session = context.session();
    if (number == null || session == null) {
      return write.apply(new DocumentWriter(services.databases().engine(), context));
    }
    var reply = new CompletableFuture<BsonDocument>();
    boolean mayHaveRun = session.mayHaveRun(number);
    CompletableFuture<BsonDocument> before = session.beginWrite(number, reply);
    if (before != null) {
      return before.thenApply(
          document -> {
            context.awaitDurable(services.databases().engine().receipt());
            return document.clone();
          });
    }
    try {
      var records = new RetryRecords(services.databases(), services.clock());
      var statements = new StatementLog(records, context, mayHaveRun);
      write
          .apply(new DocumentWriter(services.databases().engine(), context, statements))
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
