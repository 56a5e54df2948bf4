package dev.orrery.server.command.data;

import dev.orrery.server.command.CallWait;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.session.Session;
import dev.orrery.storage.Receipt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/** Carries out a write that a client may send twice, once. */
final class RetryableWrites {
  private RetryableWrites() {}

  /**
   * Runs the write. If this session ran it before under the same number, or is about to, it is run
   * again afterwards, without the statements that were carried out.
   */
  static CompletionStage<BsonDocument> once(
      CommandContext context,
      DataServices services,
      Function<DocumentWriter, CompletionStage<BsonDocument>> write) {
    Long number = context.sessionFields().txnNumber();
    Session session = context.session();
    if (number == null || session == null || context.sessionFields().isTransaction()) {
      return write.apply(new DocumentWriter(services.databases(), context));
    }
    var reply = new CompletableFuture<BsonDocument>();
    boolean mayHaveRun = session.mayHaveRun(number);
    CompletableFuture<BsonDocument> before = session.beginWrite(number, reply);
    if (before != null) {
      Supplier<CompletionStage<BsonDocument>> again =
          () -> {
            // Not before: who waits for the disk has written, and cannot leave the loop any more.
            Receipt receipt = services.databases().engine().receipt();
            return write
                .apply(writer(context, services, true))
                .whenComplete((document, failure) -> context.awaitDurable(receipt));
          };
      return before.isDone()
          ? again.get()
          : new CallWait(services.workers(), context).await(before, again);
    }
    try {
      write
          .apply(writer(context, services, mayHaveRun))
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

  private static DocumentWriter writer(
      CommandContext context, DataServices services, boolean mayHaveRun) {
    var records = new RetryRecords(services.databases(), services.clock());
    var statements = new StatementLog(records, context, mayHaveRun);
    return new DocumentWriter(services.databases(), context, statements);
  }
}
