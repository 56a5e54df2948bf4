package dev.orrery.server.stream;

import dev.orrery.server.cursor.Following;
import dev.orrery.storage.ChangeFeed;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes those who wait for changes. It listens to the feed only while somebody waits, and holds no
 * thread.
 */
final class Bell {
  /** So many are woken up at once. */
  private static final int FEW = 4;

  /** What one who waits costs all others: with many of them, changes are gathered for a while. */
  private static final long NANOS_EACH = 200_000;

  private static final long NANOS_MAX = 40_000_000;

  private final Supplier<ChangeFeed> feed;
  private final ChangeHub.Starter starter;
  private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
  private ChangeFeed.@Nullable Subscription subscription;
  private long rungNanos = System.nanoTime() - NANOS_MAX;
  private boolean isGathering;

  Bell(Supplier<ChangeFeed> feed, ChangeHub.Starter starter) {
    this.feed = feed;
    this.starter = starter;
  }

  Following.Ring listen() {
    var ring = new Waiting();
    waiting.add(ring);
    synchronized (this) {
      if (subscription == null) {
        subscription = feed.get().listen(this::ring);
      }
    }
    return ring;
  }

  private synchronized void leaveIfAlone() {
    if (waiting.isEmpty() && subscription != null) {
      subscription.close();
      subscription = null;
    }
  }

  /** On the thread of the log, so it hands over and no more. */
  private void ring() {
    int count = waiting.size();
    long delay = count <= FEW ? 0 : Math.min(NANOS_MAX, count * NANOS_EACH);
    synchronized (this) {
      long left = delay - (System.nanoTime() - rungNanos);
      if (isGathering) {
        return;
      }
      if (left > 0) {
        isGathering = true;
        starter.startLater(TimeUnit.NANOSECONDS.toMillis(left) + 1, this::ringAll);
        return;
      }
    }
    ringAll();
  }

  private void ringAll() {
    synchronized (this) {
      isGathering = false;
      rungNanos = System.nanoTime();
    }
    List.copyOf(waiting).forEach(Waiting::strike);
  }

  /** One who waits, or is about to. */
  private final class Waiting implements Following.Ring {
    private @Nullable Runnable action;
    private boolean isStruck;

    @Override
    public void await(long millis, Runnable next) {
      synchronized (this) {
        action = next;
      }
      if (isStruck()) {
        fire();
      } else {
        starter.startLater(millis, this::fire);
      }
    }

    private synchronized boolean isStruck() {
      return isStruck;
    }

    private void strike() {
      boolean isAwaited;
      synchronized (this) {
        isStruck = true;
        isAwaited = action != null;
      }
      if (isAwaited) {
        fire();
      }
    }

    private void fire() {
      Runnable next;
      synchronized (this) {
        next = action;
        action = null;
      }
      if (next != null) {
        cancel();
        starter.start(next);
      }
    }

    @Override
    public void cancel() {
      waiting.remove(this);
      leaveIfAlone();
    }
  }
}
