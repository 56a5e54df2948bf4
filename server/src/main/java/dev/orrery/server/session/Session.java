package dev.orrery.server.session;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.StorageException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** One logical session of a client: alive as long as it is used, or refreshed, now and then. */
public final class Session {
  private final SessionId id;
  private volatile long lastUseMillis;
  private volatile boolean hasRecords;
  private long writeNumber = -1;
  private @Nullable CompletableFuture<BsonDocument> lastReply;
  private @Nullable SessionTransaction transaction;

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
    requireNewest(number);
    if (transaction != null && number == transaction.number()) {
      throw new CommandException(
          ErrorCode.INCOMPLETE_TRANSACTION_HISTORY,
          "Cannot retry a retryable write that has been converted into a transaction");
    }
    endTransaction(ErrorCode.INTERRUPTED);
    if (number == writeNumber && lastReply != null) {
      return lastReply;
    }
    writeNumber = number;
    hasRecords = true;
    lastReply = reply;
    return null;
  }

  private void requireNewest(long number) {
    boolean isTransaction = transaction != null && transaction.number() > writeNumber;
    long newest = isTransaction ? transaction.number() : writeNumber;
    if (number < newest) {
      throw new CommandException(
          ErrorCode.TRANSACTION_TOO_OLD,
          ("Retryable write with txnNumber %d is prohibited on session %s because a newer %s"
                  + " with txnNumber %d has already started on this session.")
              .formatted(
                  number, id.text(), isTransaction ? "transaction" : "retryable write", newest));
    }
  }

  /** Ends the transaction that may be open. */
  private void endTransaction(ErrorCode why) {
    if (transaction != null && transaction.state() == SessionTransaction.State.OPEN) {
      transaction.doom(why);
    }
  }

  /** Begins a transaction; an open one ends by that. */
  public synchronized SessionTransaction startTransaction(
      Transactions transactions, SessionTransaction.Origin origin) {
    long number = origin.number();
    requireNewestTransaction(number);
    if (number == activeNumber()) {
      throw new CommandException(
          ErrorCode.CONFLICTING_OPERATION_IN_PROGRESS,
          "Only servers in a sharded cluster can start a new transaction at the active transaction"
              + " number.");
    }
    endTransaction(ErrorCode.INTERRUPTED);
    try {
      transaction = transactions.begin(origin);
      return transaction;
    } catch (StorageException e) {
      transaction = transactions.failed(origin);
      throw e;
    }
  }

  /** The transaction of that number, which may have ended. */
  public synchronized SessionTransaction requireTransaction(long number) {
    requireNewestTransaction(number);
    if (transaction == null || number != transaction.number()) {
      throw new CommandException(
          ErrorCode.NO_SUCH_TRANSACTION,
          ("Given transaction number %d does not match any in-progress transactions. The active"
                  + " transaction number is %d")
              .formatted(number, activeNumber()));
    }
    return transaction;
  }

  private void requireNewestTransaction(long number) {
    if (number < activeNumber()) {
      boolean isWrite = activeNumber() == writeNumber;
      throw new CommandException(
          ErrorCode.TRANSACTION_TOO_OLD,
          ("Cannot start transaction with { txnNumber: %d } on session %s because a newer %s with"
                  + " txnNumberAndRetryCounter { txnNumber: %d, txnRetryCounter: %d } has already"
                  + " started on this session.")
              .formatted(
                  number,
                  id.text(),
                  isWrite ? "retryable write" : "transaction",
                  activeNumber(),
                  isWrite ? -1 : 0));
    }
  }

  /** The number of the last transaction or retryable write; -1 before the first. */
  public synchronized long activeNumber() {
    return transaction == null ? writeNumber : Math.max(writeNumber, transaction.number());
  }

  /** The last transaction; null when there was none. */
  public synchronized @Nullable SessionTransaction transaction() {
    return transaction;
  }

  /** The session is over; what it committed is known on. */
  public synchronized void ended() {
    endTransaction(ErrorCode.INTERRUPTED);
    if (lastReply != null && lastReply.isDone()) {
      lastReply = null; // its records tell the same
    }
  }

  /**
   * Takes up what was stored of a session before a restart.
   *
   * @param committed makes the transaction that the number belongs to; null for a write
   */
  public synchronized void restore(
      long number, @Nullable Function<SessionId, SessionTransaction> committed) {
    hasRecords = true;
    if (number <= activeNumber()) {
      return; // of an older write, which was longer
    }
    if (committed == null) {
      writeNumber = number;
      transaction = null;
    } else {
      transaction = committed.apply(id);
    }
  }

  /** Whether a write of that number may have run before, here or before a restart. */
  public synchronized boolean mayHaveRun(long number) {
    return activeNumber() == -1 || number == writeNumber;
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
