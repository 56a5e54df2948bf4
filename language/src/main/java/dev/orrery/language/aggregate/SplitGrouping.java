package dev.orrery.language.aggregate;

import dev.orrery.lane.Lane;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/*
 * Every thread takes the next part that nobody has, in their order, and groups its documents. The
 * part whose turn it is, because all before it are done, adds to the whole directly. Any other has
 * groups of its own, which the whole takes over when it is their turn. So documents and states
 * reach the whole in the order of the parts, and it is what it would be if one thread had read one
 * part after the other: which of two equal keys is shown, the order of the groups, that of lists,
 * how much memory is counted, and what happens when it is too much.
 *
 * Memory: what waits beside the whole is bounded. A part that has more than its share waits for its
 * turn, and adds to the whole from then on. Where there are very many groups nearly all parts do
 * so: then it takes as long as with one thread, and not longer.
 *
 * Nothing can wait for ever: parts are taken in order, the one whose turn it is never waits, and
 * the caller's thread takes parts as all others do, so that it ends even if no thread is to spare.
 *
 * Failures: those of the first part that fails count, as with one thread. The parts after it are
 * given up; those before it go on, because they may fail yet.
 */

/** Groups the parts of a collection side by side. Used for one run. */
final class SplitGrouping {
  /** Which share of the memory of a stage the groups may take that wait to be merged. */
  private static final int WAITING_SHARE = 4;

  /** Opens the documents of a part; the check throws when they are not wanted any more. */
  interface Parts {
    int count();

    DocumentStream open(int part, Runnable check);
  }

  /** A part was given up because one before it failed. */
  private static final class GivenUp extends RuntimeException {
    private static final long serialVersionUID = 1;

    GivenUp() {
      super("given up", null, false, false);
    }
  }

  private final Grouping whole;
  private final Parts parts;
  private final List<Grouping> own;
  private final Grouping[] waiting;
  private final long waitingBytesMax;
  private long partBytesMax;
  private long waitingBytes;
  private int taken;
  private int helping;
  private volatile int turn;
  private volatile int failedPart = Integer.MAX_VALUE;
  private @Nullable Throwable failure;

  /**
   * @param whole where all groups get to
   * @param own empty groups for each of the parts
   * @param bytesMax how much memory the stage may take
   */
  SplitGrouping(Grouping whole, Parts parts, List<Grouping> own, long bytesMax) {
    this.whole = whole;
    this.parts = parts;
    this.own = own;
    this.waiting = new Grouping[parts.count()];
    this.waitingBytesMax = bytesMax / WAITING_SHARE;
  }

  /** Groups all parts, on this thread and those that are to spare, and returns when all rest. */
  void run(Executor spareThreads) {
    Lane.requireMayWait();
    start(spareThreads);
    work();
    awaitOthers();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  /** The monitor is held until all have started, so that their number is known to all. */
  private synchronized void start(Executor spareThreads) {
    Allowance allowance = Allowance.current();
    try {
      for (int i = 1; i < parts.count(); i++) {
        helping++;
        spareThreads.execute(() -> allowance.run(this::help));
      }
    } catch (RejectedExecutionException busy) {
      helping--; // those that have started, or this thread alone, do it
    }
    partBytesMax = waitingBytesMax / (helping + 1);
  }

  private void help() {
    try {
      work();
    } finally {
      synchronized (this) {
        helping--;
        notifyAll();
      }
    }
  }

  private void work() {
    for (int part = take(); part < parts.count(); part = take()) {
      group(part);
    }
  }

  private synchronized int take() {
    return taken < failedPart ? taken++ : parts.count();
  }

  private void group(int part) {
    try (DocumentStream input = parts.open(part, () -> check(part))) {
      Grouping groups = own.get(part);
      boolean isTurn = turn == part;
      for (BsonDocument one = input.next(); one != null; one = input.next()) {
        if (!isTurn && (turn == part || groups.isShort() || groups.bytes() > partBytesMax)) {
          awaitTurn(part);
          isTurn = true;
          whole.merge(groups);
        }
        (isTurn ? whole : groups).add(one);
      }
      if (!isTurn && !leave(part, groups)) {
        awaitTurn(part);
        isTurn = true;
        whole.merge(groups);
      }
      if (isTurn) {
        pass(part);
      }
    } catch (RuntimeException | Error e) {
      fail(part, e);
    }
  }

  private void check(int part) {
    if (part > failedPart) {
      throw new GivenUp();
    }
  }

  private synchronized void awaitTurn(int part) {
    try {
      while (turn != part) {
        check(part);
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ErrorCode.INTERRUPTED_AT_SHUTDOWN, "interrupted at shutdown");
    }
  }

  /** Leaves groups to whoever gets their turn; false if it is now, or there is no room. */
  private synchronized boolean leave(int part, Grouping groups) {
    if (turn == part || groups.isShort() || waitingBytes + groups.bytes() > waitingBytesMax) {
      return false;
    }
    waiting[part] = groups;
    waitingBytes += groups.bytes();
    return true;
  }

  /** Gives the turn to the next part, and does its work if that is no more than a merge. */
  private void pass(int part) {
    for (int next = part + 1; next <= parts.count(); next++) {
      Grouping left = nextTurn(next);
      if (left == null) {
        return;
      }
      try {
        whole.merge(left);
      } catch (RuntimeException | Error e) {
        fail(next, e);
        return;
      }
    }
  }

  private synchronized @Nullable Grouping nextTurn(int next) {
    turn = next;
    notifyAll();
    if (next == parts.count() || waiting[next] == null) {
      return null;
    }
    Grouping left = waiting[next];
    waiting[next] = null;
    waitingBytes -= left.bytes();
    return left;
  }

  private synchronized void fail(int part, Throwable e) {
    if (part < failedPart) {
      failedPart = part;
      failure = e;
      notifyAll();
    }
  }

  /** Not to be interrupted, as the others read what the caller is going to close. */
  private synchronized void awaitOthers() {
    boolean isInterrupted = false;
    while (helping > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
