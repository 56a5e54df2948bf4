package dev.orrery.server.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.bson.BsonDocument;

/** The one reply to a request, which comes on any thread, at once or later. */
public final class AwaitedReply implements Consumer<BsonDocument> {
  private static final int PATIENCE_SECONDS = 60;

  private final CompletableFuture<BsonDocument> reply = new CompletableFuture<>();

  /** The reply to a request, once it is there. */
  public static BsonDocument of(Dispatcher dispatcher, Request request) {
    var awaited = new AwaitedReply();
    dispatcher.dispatch(request, awaited);
    return awaited.get();
  }

  @Override
  public void accept(BsonDocument arrived) {
    if (!reply.complete(arrived)) {
      reply.obtrudeException(new AssertionError("a second reply: " + arrived));
    }
  }

  /** Waits for the reply, and fails when none comes. */
  public BsonDocument get() {
    try {
      return reply.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no reply within " + PATIENCE_SECONDS + " seconds", e);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("the test was stopped while it waited for a reply", e);
    }
  }
}
