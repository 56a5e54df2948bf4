package dev.orrery.server.command;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.operation.Operation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/**
 * A call that waits and holds no thread: until something happens, its time is up, it is killed, or
 * its client leaves. However many wait, those they wait for find a thread to go on.
 */
public final class CallWait {
  private final Workers workers;
  private final CommandContext context;

  public CallWait(Workers workers, CommandContext context) {
    this.workers = workers;
    this.context = context;
  }

  /** Goes on in the pool when the event has come, or with an error when the call has to end. */
  public CompletionStage<BsonDocument> await(
      CompletionStage<?> event, Supplier<CompletionStage<BsonDocument>> next) {
    var reply = new CompletableFuture<BsonDocument>();
    var woken = new CompletableFuture<Void>();
    Operation operation = context.operation();
    event.whenComplete((ignored, failure) -> woken.complete(null));
    operation.waitWith(() -> woken.complete(null));
    if (!context.connection().isOpen()) {
      operation.kill(ErrorCode.CLIENT_DISCONNECT); // it left before anybody could see it wait
    }
    long left = operation.remainingNanos();
    Future<?> end =
        left == Long.MAX_VALUE
            ? CompletableFuture.completedFuture(null)
            : workers.alarm(TimeUnit.NANOSECONDS.toMillis(left) + 1, () -> woken.complete(null));
    woken.whenComplete(
        (ignored, failure) -> {
          end.cancel(false);
          operation.goOn();
          workers.runSoon(() -> goOn(operation, next, reply));
        });
    return reply;
  }

  private static void goOn(
      Operation operation,
      Supplier<CompletionStage<BsonDocument>> next,
      CompletableFuture<BsonDocument> reply) {
    try {
      operation.check();
      operation
          .allowance()
          .grant(next)
          .whenComplete(
              (document, failure) -> {
                if (failure != null) {
                  reply.completeExceptionally(failure);
                } else {
                  reply.complete(document);
                }
              });
    } catch (RuntimeException | Error failure) { // whatever it is, somebody waits for an answer
      reply.completeExceptionally(failure);
    }
  }
}
