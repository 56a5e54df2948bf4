package dev.orrery.storage.postgres;

import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/*
 * Commits of different partitions get their times one by one and become visible in another order.
 * Up to which time everything is visible, the database's snapshots tell: a transaction gets its time
 * after its id. So if a look at time t finds no transaction under way, or a later look finds all of
 * those ended, then whatever is not visible gets a time after t. FeedPages looks at both.
 */

/** The commits of all servers, as the table of changes has them. */
final class PostgresFeed implements ChangeFeed {
  private static final int TRIES_MAX = 500;
  private static final long PAUSE_MILLIS = 2;

  private final PostgresEngine engine;
  private final AtomicLong newest = new AtomicLong();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile long oldest;

  PostgresFeed(PostgresEngine engine) {
    this.engine = engine;
  }

  /** Hears of a commit, ours or another's. */
  void heard(long time) {
    long before = newest.getAndAccumulate(time, Math::max);
    if (time > before) {
      listeners.forEach(Runnable::run);
    }
  }

  void trimmedTo(long time) {
    oldest = time;
  }

  boolean hasListeners() {
    return !listeners.isEmpty();
  }

  @Override
  public Changes after(long time) {
    if (time < oldest) {
      throw trimmed();
    }
    return new Follower(time);
  }

  private static StorageException trimmed() {
    return new StorageException(StorageException.Reason.LOG_TRIMMED, "nothing is kept before");
  }

  @Override
  public long oldest() {
    return oldest;
  }

  @Override
  public long newest() {
    return newest.get();
  }

  @Override
  public Subscription listen(Runnable listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Somebody who follows. */
  private final class Follower implements Changes {
    private final FeedPages pages = new FeedPages();
    private volatile long time;

    Follower(long time) {
      this.time = time;
    }

    @Override
    public CompletionStage<List<CommittedGroup>> next(int bytesMax) {
      long wanted = newest.get();
      return engine.connections().ask(session -> next(session, bytesMax, wanted));
    }

    /** What was committed before the call is found, also while others are under way. */
    private List<CommittedGroup> next(DatabaseSession session, int bytesMax, long wanted) {
      var found = new ArrayList<CommittedGroup>();
      for (int tries = 0; tries < TRIES_MAX; tries++) {
        if (time < oldest) {
          throw trimmed();
        }
        found.addAll(pages.after(session, time, bytesMax));
        if (!found.isEmpty() || pages.safe() >= wanted) {
          break;
        }
        Connections.sleep(PAUSE_MILLIS);
      }
      if (!found.isEmpty()) {
        time = found.get(found.size() - 1).time();
      }
      return found;
    }

    @Override
    public long time() {
      return time;
    }
  }
}
