package dev.orrery.server.net;

import dev.orrery.lane.Lane;
import dev.orrery.lane.Rounds;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks every event loop for a sign of life, twice a second, and logs where the one stands that
 * gives none. All connections of such a loop wait, so each stall is a mistake of ours.
 */
final class LoopWatchdog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoopWatchdog.class);
  static final long PATIENCE_MILLIS = 500;

  /** One loop; what has no word about threads belongs to the watchdog's own. */
  private static final class Watched {
    final EventExecutor loop;
    volatile Thread thread;
    volatile long answered;
    long asked;
    boolean isTold;

    Watched(EventExecutor loop) {
      this.loop = loop;
    }

    void ask() {
      long question = ++asked;
      try {
        loop.execute(
            () -> {
              thread = Thread.currentThread();
              answered = question;
            });
      } catch (RejectedExecutionException stopping) {
        answered = question;
      }
    }
  }

  private final List<Watched> loops = new ArrayList<>();
  private final AtomicLong stalls = new AtomicLong();
  private final Thread thread;
  private boolean isClosed;
  private long roundNanos = System.nanoTime();

  LoopWatchdog(Iterable<EventExecutor> executors) {
    executors.forEach(loop -> loops.add(new Watched(loop)));
    thread = Lane.BACKGROUND.thread("net-watch", new Rounds(new Watch()));
    thread.setDaemon(true);
    thread.start();
  }

  /** How often a loop stood still for longer than is bearable. */
  long stalls() {
    return stalls.get();
  }

  private final class Watch implements Rounds.Work {
    @Override
    public boolean await() throws InterruptedException {
      return pause();
    }

    @Override
    public void run() {
      long now = System.nanoTime();
      // When we come too late ourselves, the machine stood still or is too busy to judge by.
      boolean isLate = now - roundNanos > TimeUnit.MILLISECONDS.toNanos(3 * PATIENCE_MILLIS / 2);
      roundNanos = now;
      for (Watched loop : loops) {
        look(loop, isLate);
      }
    }

    @Override
    public boolean mayGoOn(Throwable failure) {
      LOG.error("event loops cannot be watched", failure);
      return true;
    }
  }

  private synchronized boolean pause() throws InterruptedException {
    if (!isClosed) {
      wait(PATIENCE_MILLIS);
    }
    return !isClosed;
  }

  private void look(Watched loop, boolean isLate) {
    if (loop.answered == loop.asked) {
      loop.isTold = false;
      loop.ask();
    } else if (!isLate && !loop.isTold && loop.thread != null) {
      loop.isTold = true;
      stalls.incrementAndGet();
      LOG.warn(
          "{} has been at one thing for more than {} ms, and its connections wait:{}",
          loop.thread.getName(),
          PATIENCE_MILLIS,
          stack(loop.thread));
    }
  }

  private static String stack(Thread thread) {
    var text = new StringBuilder();
    for (StackTraceElement frame : thread.getStackTrace()) {
      text.append("\n  at ").append(frame);
    }
    return text.toString();
  }

  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
      notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
