package dev.orrery.server.command;

import dev.orrery.lane.WouldWaitException;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/**
 * Where the work of a command runs: short work at once, on the event loop; other work in a pool.
 */
public final class Workers {
  private static final int HERE_MAX = 16;
  private static final long STEP_MILLIS = 20;

  private final Executor pool;
  private final ScheduledExecutorService timer;
  private final Executor spare;
  private final Executor ends;
  private final Semaphore here = new Semaphore(HERE_MAX);

  /**
   * @param pool refuses when too much work waits
   * @param timer starts work later; runs nothing but hand-overs to the pool
   */
  public Workers(Executor pool, ScheduledExecutorService timer) {
    this(pool, timer, Workers::refuse, pool);
  }

  /**
   * @param spare helps work of the pool along; refuses when no thread is free. What runs there must
   *     not wait for the pool.
   * @param ends for nothing but the ends of transactions, for which threads of the pool may wait
   */
  public Workers(Executor pool, ScheduledExecutorService timer, Executor spare, Executor ends) {
    this.pool = pool;
    this.timer = timer;
    this.spare = spare;
    this.ends = ends;
  }

  private static void refuse(Runnable task) {
    throw new RejectedExecutionException("there are no spare threads");
  }

  public Executor spare() {
    return spare;
  }

  /** Where transactions end. */
  public Executor ends() {
    return ends;
  }

  public CompletionStage<BsonDocument> run(boolean isShort, Supplier<BsonDocument> work) {
    return isShort ? CompletableFuture.completedFuture(work.get()) : run(work);
  }

  /** The same for work that can be called again, to go on where it would have had to wait. */
  public CompletionStage<BsonDocument> runOrResume(boolean isShort, Supplier<BsonDocument> work) {
    try {
      return run(isShort, work);
    } catch (WouldWaitException onLoop) {
      return run(work);
    }
  }

  /** Runs work in the pool, under the allowance of the thread that asks for it. */
  public CompletionStage<BsonDocument> run(Supplier<BsonDocument> work) {
    Allowance allowance = Allowance.current();
    try {
      return CompletableFuture.supplyAsync(() -> begin(allowance, work), pool);
    } catch (RejectedExecutionException full) {
      throw tooManyWait();
    }
  }

  static CommandException tooManyWait() {
    return new CommandException(
        ErrorCode.TEMPORARILY_UNAVAILABLE, "too many commands are waiting to run; try again later");
  }

  private static BsonDocument begin(Allowance allowance, Supplier<BsonDocument> work) {
    allowance.check(); // it may have ended while it waited for a thread
    return allowance.grant(work);
  }

  /**
   * Runs work after a while, without holding a thread until then. It begins with no allowance, as
   * what asks for it may have ended by then.
   */
  public void runLater(long millis, Runnable work) {
    timer.schedule(() -> handOver(millis, work), millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Waits for an event on this thread, for work that cannot be left; false when as many do as can
   * be borne: those whom they wait for need threads too.
   *
   * @param check throws when the work has to end
   */
  public boolean waitHere(CompletionStage<?> event, Runnable check) {
    if (!here.tryAcquire()) {
      return false;
    }
    try {
      var woken = new CountDownLatch(1);
      event.whenComplete((ignored, failure) -> woken.countDown());
      while (!woken.await(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
        check.run();
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ErrorCode.INTERRUPTED_AT_SHUTDOWN, "interrupted at shutdown");
    } finally {
      here.release();
    }
  }

  /** Calls something short after a while, on the timer's thread; can be cancelled. */
  Future<?> alarm(long millis, Runnable work) {
    return timer.schedule(work, millis, TimeUnit.MILLISECONDS);
  }

  /** Runs work in the pool as soon as there is room; the same otherwise. */
  public void runSoon(Runnable work) {
    handOver(1, work);
  }

  /** A pool that is full now is asked again: nobody would hear of a refusal here. */
  private void handOver(long millis, Runnable work) {
    try {
      pool.execute(work);
    } catch (RejectedExecutionException full) {
      if (!timer.isShutdown()) {
        runLater(Math.max(1, millis), work);
      }
    }
  }
}
