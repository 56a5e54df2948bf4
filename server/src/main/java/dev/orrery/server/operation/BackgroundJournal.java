package dev.orrery.server.operation;

import dev.orrery.lane.Lane;
import dev.orrery.lane.Rounds;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes requests down in the order in which they ended, on a thread that may wait for the disk. A
 * request's reply waits until it is written down, as in MongoDB, so a client finds its own requests
 * in the profile; and no more can wait here than there are requests in flight.
 */
public final class BackgroundJournal implements OperationListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundJournal.class);

  /** Requests that may wait; one that comes then is not written down, and counted. */
  static final int WAITING_MAX = 10_000;

  private static final long STOP_MILLIS = 5_000;
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private record Entry(@Nullable Ended ended, Runnable then) {}

  /** Wakes the thread that would wait for a second otherwise. */
  private static final Runnable NOTHING = () -> {};

  private final OperationJournal journal;
  private final LinkedBlockingQueue<Entry> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread;
  private @Nullable Entry next;
  private volatile boolean isClosed;
  private long toldNanos = System.nanoTime() - TELL_NANOS;
  private long toldDropped;

  public BackgroundJournal(OperationJournal journal) {
    this.journal = journal;
    this.thread = Lane.BACKGROUND.thread("journal", new Rounds(new Writing()));
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public boolean ended(Operation operation, long nanos) {
    return journal.ended(operation, nanos);
  }

  @Override
  public void write(Ended ended, Runnable then) {
    if (isClosed || !waiting.offer(new Entry(ended, then))) {
      dropped.incrementAndGet();
      then.run();
    }
  }

  /** How many requests should have been written down and were not. */
  public long dropped() {
    return dropped.get();
  }

  private final class Writing implements Rounds.Work {
    @Override
    public boolean await() throws InterruptedException {
      next = isClosed ? waiting.poll() : waiting.poll(1, TimeUnit.SECONDS);
      return next != null || !isClosed;
    }

    @Override
    public void run() {
      tellDropped();
      Entry entry = next;
      if (entry == null || entry.ended == null) {
        return;
      }
      boolean isWritten = false;
      try {
        journal.write(entry.ended);
        isWritten = true;
      } finally {
        dropped.addAndGet(isWritten ? 0 : 1);
        entry.then.run();
      }
    }

    @Override
    public boolean mayGoOn(Throwable failure) {
      LOG.error("a request could not be written down", failure);
      return true;
    }
  }

  private void tellDropped() {
    long now = dropped.get();
    if (now != toldDropped && System.nanoTime() - toldNanos >= TELL_NANOS) {
      LOG.warn("{} requests were not written down: too many waited for it", now - toldDropped);
      toldDropped = now;
      toldNanos = System.nanoTime();
    }
  }

  /** Writes down what waits, and takes nothing more. */
  @Override
  public void close() {
    isClosed = true;
    waiting.offer(new Entry(null, NOTHING)); // if there is no room it is awake
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Entry left = waiting.poll(); left != null; left = waiting.poll()) {
      dropped.addAndGet(left.ended == null ? 0 : 1);
      left.then.run();
    }
  }
}
