package dev.orrery.storage.log;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Group commit: a thread that forces the log in rounds, each for all who asked while the one before
 * was running. A lone writer waits for nobody.
 */
final class Committer implements Closeable {

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
  private volatile boolean closed;

  // Under the lock.
  private CompletableFuture<Void> running = CompletableFuture.completedFuture(null);
  private long runningLsn;
  private CompletableFuture<Void> next = new CompletableFuture<>();
  private boolean isNextAsked;

  Committer(Source source, LogOptions options) {
    this.source = source;
    this.fsync = options.fsync();
    this.flushNanos = TimeUnit.MILLISECONDS.toNanos(options.flushMillis());
    this.durableLsn = source.lastLsn();
    this.runningLsn = durableLsn;
    this.thread = new Thread(this::run, "orrery-log-commit");
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
    if (lsn <= durableLsn) {
      return CompletableFuture.completedFuture(null);
    }
    lock.lock();
    try {
      if (lsn <= durableLsn) {
        return CompletableFuture.completedFuture(null);
      }
      // A copy, so that a caller who cancels or completes its future does not do so for others.
      return lsn <= runningLsn ? running.copy() : ask().copy();
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
      return CompletableFuture.failedFuture(Failures.closed());
    }
    isNextAsked = true;
    asked.signal();
    return next;
  }

  /** Called after each append: without fsync, appended is durable. */
  void appended(long lsn) {
    if (!fsync) {
      advance(lsn);
    }
  }

  private void advance(long lsn) {
    durableLsn = lsn;
    for (LongConsumer listener : listeners) {
      listener.accept(lsn);
    }
  }

  private void run() {
    while (failure == null && awaitRound()) {
      try {
        source.force();
        advance(runningLsn);
        running.complete(null);
      } catch (IOException | RuntimeException e) {
        fail(e);
      }
    }
  }

  /** Waits for the next round to be asked for and begins it; false when closed. */
  private boolean awaitRound() {
    lock.lock();
    try {
      while (!isNextAsked && !closed) {
        boolean isTimeToFlush = asked.awaitNanos(flushNanos) <= 0;
        if (isTimeToFlush && source.lastLsn() > durableLsn) {
          break;
        }
      }
      if (closed && !isNextAsked) {
        return false;
      }
      running = next;
      runningLsn = source.lastLsn();
      next = new CompletableFuture<>();
      isNextAsked = false;
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody knows this thread to interrupt it", e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends all durability. After a failed fsync the kernel may mark the pages clean although they
   * never reached the device, and report the error only once: a second fsync would succeed and lie.
   * Only a restart, which reads what the device really has, can tell what is durable.
   */
  void fail(Exception cause) {
    List<CompletableFuture<Void>> rounds;
    lock.lock();
    try {
      if (failure == null) {
        failure =
            new StorageException(
                Reason.UNAVAILABLE, "the log stopped after a failed write: " + cause, cause);
      }
      rounds = List.of(running, next);
    } finally {
      lock.unlock();
    }
    rounds.forEach(round -> round.completeExceptionally(failure));
  }

  /** Finishes the rounds that were asked for, then ends the thread. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      asked.signal();
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
