package dev.orrery.lane;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * What kind of thread this is, and what it may therefore do. A thread has one lane for life; it is
 * asked for at the places that wait, and each of them refuses the lanes that must not.
 */
public enum Lane {
  /**
   * Serves many connections. It waits for nothing: what would make it wait throws {@link
   * WouldWaitException}, before anything has changed, and is done on another lane.
   */
  EVENT_LOOP,

  /** Does the work of one request at a time, and may wait for it. */
  WORKER,

  /**
   * Makes the log durable. Whoever waits for the disk waits for this thread, so it runs nothing of
   * a request, appends nothing, and waits for nobody.
   */
  COMMITTER,

  /** Does the server's own work, and may wait. */
  BACKGROUND,

  /** Not one of ours: a test, or the thread that starts and stops the server. It may wait. */
  FOREIGN;

  /** How long an event loop stands at a lock whose holders mostly compute. */
  private static final long LOOP_PATIENCE_NANOS = 2_000_000;

  /** A thread that knows its lane. */
  public interface Bound {
    Lane lane();
  }

  private static final class BoundThread extends Thread implements Bound {
    private final Lane lane;

    BoundThread(Lane lane, String name, Runnable work) {
      super(work, name);
      this.lane = lane;
    }

    @Override
    public Lane lane() {
      return lane;
    }
  }

  /** A new thread of this lane, which is not started yet. */
  public Thread thread(String name, Runnable work) {
    return new BoundThread(this, name, work);
  }

  /** The lane of the thread that asks. */
  public static Lane current() {
    return Thread.currentThread() instanceof Bound bound ? bound.lane() : FOREIGN;
  }

  /** Refuses threads that must not append to the log. */
  public static void requireMayAppend() {
    if (current() == COMMITTER) {
      throw new IllegalStateException("the thread that makes the log durable must not append");
    }
  }

  /**
   * Refuses threads that must not wait: to be called before a wait for the disk, or for a lock that
   * is held during one, and before anything has changed.
   */
  public static void requireMayWait() {
    Lane lane = current();
    if (lane == EVENT_LOOP) {
      throw WouldWaitException.INSTANCE;
    }
    if (lane == COMMITTER) {
      throw new IllegalStateException("the thread that makes the log durable must not wait");
    }
  }

  /** Refuses event loops: to be called before much is read, which takes time and memory. */
  public static void requireMayReadMuch() {
    if (current() == EVENT_LOOP) {
      throw WouldWaitException.LARGE_READ;
    }
  }

  /**
   * What a stage gives; waits for it where this thread may, and throws as the stage failed. An
   * event loop must not ask for what has been changed on its behalf: it cannot begin that anew.
   */
  public static <T> T await(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (!future.isDone()) {
      requireMayWait();
    }
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw e;
    }
  }

  /**
   * Takes a lock that is mostly held for microseconds, and now and then while its holder waits for
   * the disk. An event loop gives up in the second case.
   */
  public static void take(Lock lock) {
    if (current() != EVENT_LOOP) {
      lock.lock();
      return;
    }
    try {
      if (!lock.tryLock(LOOP_PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
        throw WouldWaitException.INSTANCE;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WouldWaitException.INSTANCE;
    }
  }
}
