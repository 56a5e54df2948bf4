package dev.orrery.server.session;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.Transaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A multi-document transaction of a session, from its first statement until a later one takes its
 * place: it is known afterwards how it ended. One statement at a time has its turn; whoever else
 * wants its end leaves word.
 */
public final class SessionTransaction {
  /** How far it is. */
  public enum State {
    OPEN,
    COMMITTED,
    ABORTED
  }

  /**
   * Who began it, and how.
   *
   * @param api the Stable API that its first statement asked for, as messages show it
   */
  public record Origin(
      SessionId session,
      long number,
      Reading reading,
      String api,
      Object client,
      BooleanSupplier isThere) {}

  /**
   * What its first statement said about reading, which holds for all.
   *
   * @param time the cluster time to read at; 0 for what was committed when it began
   * @param level its read concern, which others are told
   * @param concern the same with its times, as messages show it
   */
  public record Reading(long time, String level, String concern) {}

  private static final long STEP_MILLIS = 20;

  private final Origin origin;
  private final Transaction changes;
  private final Transactions all;
  private final long startNanos;
  private final Semaphore turn = new Semaphore(1, true);
  private final List<Runnable> undo = new ArrayList<>();
  private final Set<Object> created = new HashSet<>();
  private final List<Runnable> atEnd = new ArrayList<>();
  private long heldBytes;
  private volatile State state = State.OPEN;
  private volatile Consumer<ErrorCode> running = why -> {};
  private volatile boolean isDoomed;
  private volatile long abandonedNanos;
  private volatile long turnNanos;
  private volatile long activeNanos;

  SessionTransaction(Origin origin, Transaction changes, Transactions all, long startNanos) {
    this.origin = origin;
    this.changes = changes;
    this.all = all;
    this.startNanos = startNanos;
  }

  /** Notes that it never came to anything. */
  SessionTransaction failed() {
    state = State.ABORTED;
    return this;
  }

  /** Notes that it was committed before the server started. */
  SessionTransaction restored() {
    state = State.COMMITTED;
    return this;
  }

  public Origin origin() {
    return origin;
  }

  public long number() {
    return origin.number();
  }

  public State state() {
    return state;
  }

  /** How long it has been open. */
  public long openNanos() {
    return all.nanos() - startNanos;
  }

  /** How long statements have run in it. */
  public long activeNanos() {
    return activeNanos + (isActive() ? all.nanos() - turnNanos : 0);
  }

  /** Whether a statement runs now. */
  public boolean isActive() {
    return turn.availablePermits() == 0;
  }

  /** What is read and written in it; for whoever has the turn. */
  public Transaction changes() {
    return changes;
  }

  /**
   * Waits for the turn.
   *
   * @param check throws when whoever waits must end
   * @param kill ends what runs during the turn
   */
  public void take(Runnable check, Consumer<ErrorCode> kill) {
    try {
      while (!turn.tryAcquire(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
        check.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ErrorCode.INTERRUPTED_AT_SHUTDOWN, "interrupted");
    }
    turnNanos = all.nanos();
    running = kill;
  }

  /** Ends the turn, and the transaction if that was wanted meanwhile. */
  public void give() {
    running = why -> {};
    activeNanos += all.nanos() - turnNanos; // by whoever has the turn
    if (isDoomed) {
      abort();
    }
    turn.release();
    if (isDoomed) { // by somebody who came between
      endIfIdle();
    }
  }

  /**
   * Counts what its changes take by now; throws when that is too much. For whoever has the turn.
   */
  public void hold(long bytes) {
    all.memory().hold(heldBytes, bytes);
    heldBytes = bytes;
  }

  /** Notes what the transaction created, and how it goes again. */
  public void created(Object collection, Runnable drop) {
    created.add(collection);
    undo.add(drop);
  }

  public boolean hasCreated(Object collection) {
    return created.contains(collection);
  }

  /** Does that when the transaction ends, however it does. */
  public void onEnd(Runnable work) {
    atEnd.add(work);
  }

  /** Ends it without a trace, if it is open. For whoever has the turn. */
  public void abort() {
    if (state != State.OPEN) {
      return;
    }
    state = State.ABORTED;
    close();
    Collections.reverse(undo);
    all.undo(undo);
    all.ended(this);
  }

  /** Notes that its changes are committed. For whoever has the turn. */
  public void committed() {
    state = State.COMMITTED;
    close();
    all.ended(this);
  }

  private void close() {
    atEnd.forEach(Runnable::run);
    changes.close();
    all.memory().give(heldBytes);
    heldBytes = 0;
  }

  /** Aborts it, at once or as soon as its statement has ended, which is killed. */
  public void doom(ErrorCode why) {
    isDoomed = true;
    if (!endIfIdle()) {
      running.accept(why);
    }
  }

  private boolean endIfIdle() {
    if (!turn.tryAcquire()) {
      return false;
    }
    abort();
    turn.release();
    return true;
  }

  /** Whether its client has had no connection for a while. */
  boolean isAbandoned(Set<Object> connected, long nanosMax) {
    if (origin.isThere().getAsBoolean() || connected.contains(origin.client())) {
      abandonedNanos = 0;
      return false;
    }
    long now = all.nanos();
    if (abandonedNanos == 0) {
      abandonedNanos = now;
    }
    return now - abandonedNanos > nanosMax;
  }

  /** Whether somebody has a connection who may go on with it. */
  boolean isHeld() {
    return abandonedNanos == 0;
  }

  /** Why a statement cannot run in it any more. */
  public CommandException ended() {
    return state == State.COMMITTED
        ? new CommandException(
            ErrorCode.TRANSACTION_COMMITTED,
            "Transaction with { txnNumber: %d } has been committed.".formatted(number()))
        : new CommandException(
            ErrorCode.NO_SUCH_TRANSACTION,
            "Transaction with { txnNumber: %d } has been aborted.".formatted(number()));
  }
}
