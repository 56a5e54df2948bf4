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
 * Wakes those who wait for changes, and of them only who is told of what came: that is found out
 * once for all, by one who reads the feed. It listens to the feed only while somebody waits, and
 * holds no thread.
 */
final class Bell {
  /** So many are asked at once. */
  private static final int FEW = 4;

  /** What one who waits costs all others: with many of them, changes are gathered for a while. */
  private static final long NANOS_EACH = 200_000;

  private static final long NANOS_MAX = 40_000_000;

  private final Supplier<ChangeFeed> feed;
  private final ChangeHub.Starter starter;
  private final ChangeHub hub;
  private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
  private ChangeFeed.@Nullable Subscription subscription;
  private long askedNanos = System.nanoTime() - NANOS_MAX;
  private boolean isGathering;
  private long askedUpTo;

  Bell(Supplier<ChangeFeed> feed, ChangeHub.Starter starter, ChangeHub hub) {
    this.feed = feed;
    this.starter = starter;
    this.hub = hub;
  }

  /** One who may have to wait, and says what can be passed over meanwhile. */
  interface Listener {
    /**
     * Whether nothing of that is told here; if so, the listener is behind it from now on. Asked
     * only while it waits.
     *
     * @param since where the news begin
     */
    boolean passesOver(long since, ChangeHub.Next news);
  }

  Following.Ring listen(Listener listener) {
    var ring = new Waiting(listener);
    waiting.add(ring);
    synchronized (this) {
      if (subscription == null) {
        askedUpTo = feed.get().newest();
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
    long left;
    synchronized (this) {
      if (isGathering) {
        return;
      }
      isGathering = true;
      left = delay - (System.nanoTime() - askedNanos);
    }
    if (left > 0) {
      starter.startLater(TimeUnit.NANOSECONDS.toMillis(left) + 1, this::askAll);
    } else {
      starter.start(this::askAll);
    }
  }

  private void askAll() {
    long since;
    synchronized (this) {
      isGathering = false; // what comes from now on may not be among what is read
      askedNanos = System.nanoTime();
      since = askedUpTo;
    }
    ChangeHub.Next news = hub.news(since);
    if (news == null) {
      List.copyOf(waiting).forEach(Waiting::strike);
      return;
    }
    if (news.upTo() == since) {
      return;
    }
    for (Waiting one : List.copyOf(waiting)) {
      one.hear(since, news);
    }
    askedUpTo(news.upTo());
    if (news.upTo() < feed.get().newest()) {
      ring(); // so much came that it was not all
    }
  }

  private synchronized void askedUpTo(long time) {
    askedUpTo = Math.max(askedUpTo, time);
  }

  /** One who waits, or is about to. */
  private final class Waiting implements Following.Ring {
    private final Listener listener;
    private @Nullable Runnable action;
    private boolean isStruck;
    private int turn;

    Waiting(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void await(long millis, Runnable rung, Runnable late) {
      int mine;
      boolean isOver;
      synchronized (this) {
        mine = ++turn;
        isOver = isStruck;
        action = isOver ? null : rung;
      }
      if (isOver) {
        begin(rung);
      } else {
        starter.startLater(millis, () -> endTurn(mine, late));
      }
    }

    private void endTurn(int which, Runnable late) {
      synchronized (this) {
        if (action == null || turn != which) {
          return; // it was struck meanwhile
        }
        action = null;
      }
      late.run();
    }

    /** Who does not wait at the moment is struck, and looks for itself. */
    void hear(long since, ChangeHub.Next news) {
      synchronized (this) {
        if (action != null && listener.passesOver(since, news)) {
          return;
        }
      }
      strike();
    }

    void strike() {
      Runnable next;
      synchronized (this) {
        isStruck = true;
        next = action;
        action = null;
      }
      if (next != null) {
        begin(next);
      }
    }

    private void begin(Runnable next) {
      cancel();
      starter.start(next);
    }

    @Override
    public void cancel() {
      waiting.remove(this);
      leaveIfAlone();
    }
  }
}
