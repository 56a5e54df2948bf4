package dev.orrery.server.session;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.concurrent.CompletableFuture;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** One logical session of a client: alive as long as it is used, or refreshed, now and then. */
public final class Session {
  private final SessionId id;
  private volatile long lastUseMillis;
  private volatile boolean hasRecords;
  private long writeNumber = -1;
  private @Nullable CompletableFuture<BsonDocument> lastReply;

  Session(SessionId id, long nowMillis) {
    this.id = id;
    this.lastUseMillis = nowMillis;
  }

  /**
   * Notes that a write begins under that number, or gives the answer of the same write if it began
   * before. Writes of one session come one after the other, each with a greater number.
   */
  public synchronized @Nullable CompletableFuture<BsonDocument> beginWrite(
      long number, CompletableFuture<BsonDocument> reply) {
    if (number < writeNumber) {
      throw new CommandException(
          ErrorCode.TRANSACTION_TOO_OLD,
          ("Retryable write with txnNumber %d is prohibited on session %s because a newer retryable"
                  + " write with txnNumber %d has already started on this session.")
              .formatted(number, id.id(), writeNumber));
    }
    if (number == writeNumber && lastReply != null) {
      return lastReply;
    }
    writeNumber = number;
    hasRecords = true;
    lastReply = reply;
    return null;
  }

  /** Whether a write of that number may have run before, here or before a restart. */
  public synchronized boolean mayHaveRun(long number) {
    return writeNumber == -1 || number == writeNumber;
  }

  /** Whether something of its writes is stored. */
  public boolean hasRecords() {
    return hasRecords;
  }

  public void keepsRecords() {
    hasRecords = true;
  }

  /** Lets a write that failed as a whole be tried again. */
  public synchronized void forgetWrite(long number) {
    if (number == writeNumber) {
      lastReply = null;
    }
  }

  public SessionId id() {
    return id;
  }

  public long lastUseMillis() {
    return lastUseMillis;
  }

  void touch(long nowMillis) {
    lastUseMillis = nowMillis;
  }
}
