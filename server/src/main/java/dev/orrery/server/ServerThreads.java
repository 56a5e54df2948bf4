package dev.orrery.server;

import dev.orrery.lane.Lane;
import dev.orrery.server.command.WorkerPool;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that a server starts with. */
final class ServerThreads {
  private static final int ENDS_MAX = 8;

  private ServerThreads() {}

  static WorkerPool workers(ScheduledExecutorService timer) {
    return new WorkerPool(
        WorkerPool.Limits.DEFAULT, task -> Lane.WORKER.thread("worker", task), timer);
  }

  /**
   * Threads for parts of commands, as many as there are processors beside the one on which the
   * command itself runs. Nothing waits for one: what finds none free does without.
   */
  static ExecutorService spare(int count) {
    var pool =
        new ThreadPoolExecutor(
            0,
            Math.max(1, count),
            1,
            TimeUnit.MINUTES,
            new SynchronousQueue<>(),
            task -> Lane.WORKER.thread("spare", task));
    if (count < 1) {
      pool.shutdown(); // refuses everything
    }
    return pool;
  }

  /** Threads on which transactions end, for which many others may wait. */
  static ExecutorService ends() {
    var pool =
        new ThreadPoolExecutor(
            ENDS_MAX,
            ENDS_MAX,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(),
            task -> Lane.WORKER.thread("ends", task));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  static ScheduledExecutorService timer() {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          var thread = Lane.BACKGROUND.thread("timer", task);
          thread.setDaemon(true);
          return thread;
        });
  }
}
