package dev.orrery.server.session;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.storage.Transaction;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** The open transactions of all sessions: how many there were, and how long they may last. */
public final class Transactions {
  /** How long a transaction lives on without a connection of its client, which may come back. */
  private static final long ABANDONED_NANOS_MAX = 5_000_000_000L;

  private static final long SECOND_NANOS = 1_000_000_000L;

  private final LongFunction<Transaction> begin;
  private final LongSupplier nanoClock;
  private final LongSupplier lifetimeSeconds;
  private final Executor background;
  private final TransactionMemory memory;
  private final Set<SessionTransaction> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong started = new AtomicLong();
  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong aborted = new AtomicLong();

  /**
   * @param begin begins one in storage, at a cluster time, or with 0 now
   * @param lifetimeSeconds how long one may be open, as it is set now
   * @param background does what an event loop must not wait for
   * @param budget what all requests may hold
   */
  public Transactions(
      LongFunction<Transaction> begin,
      LongSupplier nanoClock,
      LongSupplier lifetimeSeconds,
      Executor background,
      MemoryBudget budget) {
    this.begin = begin;
    this.nanoClock = nanoClock;
    this.lifetimeSeconds = lifetimeSeconds;
    this.background = background;
    this.memory = new TransactionMemory(budget);
  }

  SessionTransaction begin(SessionTransaction.Origin origin) {
    var transaction =
        new SessionTransaction(
            origin, begin.apply(origin.reading().time()), this, nanoClock.getAsLong());
    open.add(transaction);
    started.incrementAndGet();
    return transaction;
  }

  /** One that could not begin, as its point is lost. */
  SessionTransaction failed(SessionTransaction.Origin origin) {
    return new SessionTransaction(origin, null, this, nanos()).failed();
  }

  /** One that was committed before the server started. */
  public SessionTransaction restored(SessionId session, long number) {
    var reading = new SessionTransaction.Reading(0, "local", "");
    var origin =
        new SessionTransaction.Origin(session, number, reading, "{}", session, () -> false);
    return new SessionTransaction(origin, null, this, nanos()).restored();
  }

  void ended(SessionTransaction transaction) {
    if (open.remove(transaction)) {
      boolean isCommitted = transaction.state() == SessionTransaction.State.COMMITTED;
      (isCommitted ? committed : aborted).incrementAndGet();
    }
  }

  /** Takes back what a transaction did outside of its changes. */
  void undo(List<Runnable> work) {
    if (work.isEmpty()) {
      return;
    }
    if (Lane.current() == Lane.EVENT_LOOP) {
      background.execute(() -> work.forEach(Runnable::run));
    } else {
      work.forEach(Runnable::run);
    }
  }

  TransactionMemory memory() {
    return memory;
  }

  long nanos() {
    return nanoClock.getAsLong();
  }

  public long lifetimeSeconds() {
    return lifetimeSeconds.getAsLong();
  }

  /** Ends those that are open for too long; to be called every second or so. */
  public void expire() {
    long nanosMax = lifetimeSeconds() * SECOND_NANOS;
    for (SessionTransaction one : open) {
      if (one.openNanos() > nanosMax) {
        one.doom(ErrorCode.TRANSACTION_EXCEEDED_LIFETIME_LIMIT_SECONDS);
      }
    }
  }

  /**
   * Ends those whose clients have gone.
   *
   * @return false when some are left whose client may still come back
   */
  public boolean endAbandoned(Set<Object> connectedClients) {
    boolean isDone = true;
    for (SessionTransaction one : open) {
      if (one.isAbandoned(connectedClients, ABANDONED_NANOS_MAX)) {
        one.doom(ErrorCode.CLIENT_DISCONNECT);
      }
      isDone &= one.state() != SessionTransaction.State.OPEN || one.isHeld();
    }
    return isDone;
  }

  /** Ends all: the server stops. */
  public void abortAll() {
    open.forEach(one -> one.doom(ErrorCode.INTERRUPTED_AT_SHUTDOWN));
  }

  public List<SessionTransaction> open() {
    return List.copyOf(open);
  }

  public long started() {
    return started.get();
  }

  public long committed() {
    return committed.get();
  }

  public long aborted() {
    return aborted.get();
  }
}
