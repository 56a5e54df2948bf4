package dev.orrery.storage.log;

import dev.orrery.lane.Lane;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import dev.orrery.storage.StorageObserver;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Group commit: forces the log in rounds, each for all who asked while the one before was running.
 * A lone writer waits for nobody.
 */
final class Committer implements Closeable {

  /*
   * One thread forces and wakes up those who waited. Writers do not force themselves, as they may be
   * event loops, and may be interrupted. A second thread that began the next round meanwhile was
   * measured: a sixth more CPU for each commit, and no more commits.
   *
   * Whoever was served mostly comes back at once with its next commit. A round that began without
   * waiting for them would serve the few who asked meanwhile, and the writers would fall apart into
   * small rounds that wait for each other: 64 writers were seen to make rounds of 15. So a round
   * waits until as many have asked as were served or waiting when the last one ended, but no longer
   * than a force takes. If they did not come, the next rounds do not wait: these clients pause.
   *
   * Where many are expected it waits twice as long. So many clients keep the processors busy, and an
   * fsync takes its share of them: with 64 clients that read as often as they write, rounds had 17
   * commits and now have 20. Three times as long made it 28, but then clients that only write, and
   * come back one after the other, all waited for the last: a tenth fewer commits. Few clients would
   * only wait longer: 8 of them were a sixth slower.
   */

  private static final int MANY = 16;
  private static final int PATIENCE_FOR_MANY = 2;

  private static final long GATHER_NANOS_MAX = 2_000_000;
  private static final int PASSED_ROUNDS_MAX = 32;

  /** What is to be made durable. */
  interface Source {
    /** The last LSN that {@link #force} is sure to cover if it begins now. */
    long lastLsn();

    void force() throws IOException;
  }

  private final Source source;
  private final boolean fsync;
  private final long flushNanos;
  private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition asked = lock.newCondition();
  private final Thread thread;

  private volatile long durableLsn;
  private volatile StorageException failure;
  private volatile Consumer<Throwable> onFailure = cause -> {};
  private volatile StorageObserver observer = StorageObserver.NONE;

  /** Made now, as there is nothing to make it of when it is needed. */
  private final StorageException noMemory =
      new StorageException(Reason.UNAVAILABLE, "the log stopped: no memory was left");

  // Under the lock.
  private Round running;
  private Round next = new Round();
  private boolean isUrgent;
  private boolean closed;

  /** How many must ask before the thread is woken up; more than can be while it forces. */
  private int wanted = Integer.MAX_VALUE;

  private int expected;
  private long forceNanos;
  private int passedRounds;
  private int roundsToPass;

  /** One fsync, and those who wait for it. */
  private static final class Round {
    final CompletableFuture<Void> done = new CompletableFuture<>();
    long lsn;
    int asks;
  }

  Committer(Source source, LogOptions options) {
    this.source = source;
    this.fsync = options.fsync();
    this.flushNanos = TimeUnit.MILLISECONDS.toNanos(options.flushMillis());
    this.durableLsn = source.lastLsn();
    this.running = new Round();
    this.thread = Lane.COMMITTER.thread("orrery-log-commit", this::run);
    thread.setDaemon(true);
    if (fsync) {
      thread.start();
    }
  }

  long durableLsn() {
    return durableLsn;
  }

  /** Why the log can no longer be made durable, or {@code null}. */
  StorageException failure() {
    return failure;
  }

  void listen(LongConsumer listener) {
    listeners.add(listener);
  }

  void unlisten(LongConsumer listener) {
    listeners.remove(listener);
  }

  CompletableFuture<Void> whenDurable(long lsn) {
    // Without fsync appended is durable, also before the appender has come to say so.
    if (lsn <= durableLsn || !fsync && failure == null) {
      return CompletableFuture.completedFuture(null);
    }
    lock.lock();
    try {
      if (lsn <= durableLsn) {
        return CompletableFuture.completedFuture(null);
      }
      // A copy, so that a caller who cancels or completes its future does not do so for others.
      return (lsn <= running.lsn ? joined(running) : ask()).copy();
    } finally {
      lock.unlock();
    }
  }

  /** Forces what was written before this call, and returns when that is done. */
  void flush() {
    if (fsync) {
      CompletableFuture<Void> round;
      lock.lock();
      try {
        round = ask();
        isUrgent = true; // the caller may keep everybody else from asking
        asked.signal();
      } finally {
        lock.unlock();
      }
      try {
        round.join();
      } catch (CompletionException e) {
        throw failure;
      }
    }
  }

  private CompletableFuture<Void> ask() {
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    if (closed) {
      return CompletableFuture.failedFuture(LogFailures.closed());
    }
    joined(next);
    if (next.asks >= wanted) {
      asked.signal();
    }
    return next.done;
  }

  private static CompletableFuture<Void> joined(Round round) {
    round.asks++;
    return round.done;
  }

  /** Called after each append: without fsync, appended is durable. */
  void appended(long lsn) {
    if (!fsync) {
      advance(lsn);
    }
  }

  private void advance(long lsn) {
    durableLsn = lsn;
    tell(lsn);
  }

  private void tell(long lsn) {
    for (LongConsumer listener : listeners) {
      listener.accept(lsn);
    }
  }

  private void run() {
    try {
      for (Round round = awaitRound(); round != null; round = awaitRound()) {
        long start = System.nanoTime();
        source.force();
        long nanos = System.nanoTime() - start;
        finish(round, nanos);
        tell(round.lsn);
        round.done.complete(null);
        observer.forced(round.asks, nanos);
      }
    } catch (Throwable e) {
      // Whatever it is: without this thread nobody would ever be told that his commit is durable.
      failInAnyCase(e);
    }
  }

  /** Begins the next round when somebody has asked for it; {@code null} at the end. */
  private Round awaitRound() {
    lock.lock();
    try {
      boolean isTimeToFlush = false;
      wanted = 1;
      while (next.asks == 0 && !(isTimeToFlush && source.lastLsn() > durableLsn)) {
        if (failure != null || closed) {
          return null;
        }
        isTimeToFlush = asked.awaitNanos(flushNanos) <= 0;
      }
      gather();
      if (failure != null) {
        return null;
      }
      running = next;
      running.lsn = source.lastLsn();
      next = new Round();
      isUrgent = false;
      return running;
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody knows this thread to interrupt it", e);
    } finally {
      wanted = Integer.MAX_VALUE;
      lock.unlock();
    }
  }

  /** Waits for those who are expected to ask too; see above. */
  private void gather() throws InterruptedException {
    if (roundsToPass > 0) {
      roundsToPass--;
      return;
    }
    wanted = expected;
    long left = patience(expected, forceNanos);
    while (next.asks < expected && left > 0 && !isUrgent && !closed && failure == null) {
      left = asked.awaitNanos(left);
    }
    boolean isInVain = left <= 0 && next.asks < expected / 2;
    passedRounds = isInVain ? Math.min(PASSED_ROUNDS_MAX, 2 * passedRounds + 1) : 0;
    roundsToPass = passedRounds;
  }

  /** How long a round waits for those who are expected. */
  static long patience(int expected, long forceNanos) {
    return expected < MANY ? forceNanos : PATIENCE_FOR_MANY * forceNanos;
  }

  private void finish(Round round, long nanos) {
    lock.lock();
    try {
      durableLsn = round.lsn;
      forceNanos += (Math.min(nanos, GATHER_NANOS_MAX) - forceNanos) / 8;
      expected = round.asks + next.asks;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends all durability. After a failed fsync the kernel may mark the pages clean although they
   * never reached the device, and report the error only once: a second fsync would succeed and lie.
   * Only a restart, which reads what the device really has, can tell what is durable.
   */
  void fail(Throwable cause) {
    StorageException described = cause instanceof OutOfMemoryError ? noMemory : describe(cause);
    boolean isFirst;
    CompletableFuture<Void> earlier;
    CompletableFuture<Void> later;
    lock.lock();
    try {
      isFirst = failure == null;
      if (isFirst) {
        failure = described;
      }
      earlier = running.done;
      later = next.done;
      asked.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      earlier.completeExceptionally(failure);
      later.completeExceptionally(failure);
    } finally {
      if (isFirst) {
        onFailure.accept(cause);
      }
    }
  }

  /** The same where there may be no memory left even for that. */
  private void failInAnyCase(Throwable cause) {
    try {
      fail(cause);
    } catch (Throwable again) {
      failure = noMemory;
      onFailure.accept(cause);
    }
  }

  private static StorageException describe(Throwable cause) {
    return new StorageException(
        Reason.UNAVAILABLE, "the log stopped after a failed write: " + cause, cause);
  }

  /** Tells of every round. */
  void observe(StorageObserver newObserver) {
    observer = newObserver;
  }

  /** Tells of the end of all durability, once, on the thread that met it. */
  void onFailure(Consumer<Throwable> listener) {
    onFailure = listener;
  }

  /** Finishes the rounds that were asked for, then ends the thread. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      asked.signalAll();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
