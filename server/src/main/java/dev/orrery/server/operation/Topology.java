package dev.orrery.server.operation;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;

/**
 * What clients know of the server's role, as a version: they wait for the next one instead of
 * asking again and again. It changes when the server stops, and when somebody lets it step down and
 * come back. Thread-safe.
 */
public final class Topology {
  /** What a replica set of one has counted to when it has a primary. */
  private static final long COUNTER = 6;

  private final ObjectId process;
  private final Set<CompletableFuture<Void>> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicLong changes = new AtomicLong();
  private volatile long stepsDown;
  private volatile boolean isSecondary;
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
    return COUNTER + changes.get();
  }

  /** Whether it takes writes, as it always does but for a step-down. */
  public boolean isPrimary() {
    return !isSecondary;
  }

  /** How often it was elected, which every election makes more. */
  public long term() {
    return 1 + stepsDown;
  }

  /**
   * Becomes a secondary.
   *
   * @return brings it back, unless that was done or it stepped down anew since
   */
  public synchronized Runnable stepDown() {
    long mine = ++stepsDown;
    isSecondary = true;
    change();
    return () -> comeBack(mine);
  }

  private synchronized void comeBack(long stepDown) {
    if (isSecondary && stepDown == stepsDown) {
      isSecondary = false;
      change();
    }
  }

  private void change() {
    changes.incrementAndGet();
    Set.copyOf(waiting).forEach(each -> each.complete(null));
  }

  /** Whether the server stops. */
  public boolean isOver() {
    return isOver;
  }

  /**
   * Completed when the version is another than that. Whoever waits completes it when he has waited
   * for long enough; nothing is kept of what is complete.
   */
  public CompletableFuture<Void> after(long counter) {
    var next = new CompletableFuture<Void>();
    waiting.add(next);
    next.whenComplete((done, failure) -> waiting.remove(next));
    if (counter() != counter) { // perhaps since before it was added
      next.complete(null);
    }
    return next;
  }

  /** How many wait. */
  public int waitingCount() {
    return waiting.size();
  }

  /** The server stops: whoever waits is to hear of it. */
  public synchronized void end() {
    if (!isOver) {
      isOver = true;
      change();
    }
  }
}
