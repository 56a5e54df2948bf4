package dev.orrery.server.operation;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;

/**
 * What clients know of the server's role, as a version: they wait for the next one instead of
 * asking again and again. There is one change in the life of a server, its stop. Thread-safe.
 */
public final class Topology {
  /** What a replica set of one has counted to when it has a primary. */
  private static final long COUNTER = 6;

  private final ObjectId process;
  private final Set<CompletableFuture<Void>> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean isOver;

  public Topology(ObjectId process) {
    this.process = process;
  }

  /** The version of now, as replies show it. */
  public BsonDocument version() {
    return new BsonDocument("processId", new BsonObjectId(process))
        .append("counter", new BsonInt64(counter()));
  }

  public ObjectId process() {
    return process;
  }

  public long counter() {
    return isOver ? COUNTER + 1 : COUNTER;
  }

  /** Whether the server stops. */
  public boolean isOver() {
    return isOver;
  }

  /**
   * Completed when the version changes. Whoever waits completes it when he has waited for long
   * enough; nothing is kept of what is complete.
   */
  public CompletableFuture<Void> next() {
    var next = new CompletableFuture<Void>();
    waiting.add(next);
    next.whenComplete((done, failure) -> waiting.remove(next));
    if (isOver) { // perhaps since before it was added
      next.complete(null);
    }
    return next;
  }

  /** How many wait. */
  public int waitingCount() {
    return waiting.size();
  }

  /** The server stops: whoever waits is to hear of it. */
  public void end() {
    isOver = true;
    Set.copyOf(waiting).forEach(each -> each.complete(null));
  }
}
