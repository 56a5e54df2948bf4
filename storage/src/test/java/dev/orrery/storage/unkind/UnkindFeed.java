package dev.orrery.storage.unkind;

import dev.orrery.storage.Change;
import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** All that was ever committed to a world, by cluster time. The world is locked. */
final class UnkindFeed implements ChangeFeed {
  private static final int GROUP_BYTES = 1_000;

  private final UnkindWorld world;
  private final NavigableMap<Long, CommittedGroup> groups = new TreeMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private long oldest;

  UnkindFeed(UnkindWorld world) {
    this.world = world;
  }

  void add(long time, List<Change> changes) {
    groups.put(
        time,
        new CommittedGroup(
            time, (world.clock.now() >>> Integer.SIZE) * 1000, changes, GROUP_BYTES));
    listeners.forEach(Runnable::run);
  }

  @Override
  public Changes after(long time) {
    if (time < oldest) {
      throw new StorageException(StorageException.Reason.LOG_TRIMMED, "nothing is kept before");
    }
    return new Reader(time);
  }

  @Override
  public long oldest() {
    return oldest;
  }

  @Override
  public long newest() {
    synchronized (world) {
      return groups.isEmpty() ? 0 : groups.lastKey();
    }
  }

  @Override
  public Subscription listen(Runnable listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Somebody who follows. */
  private final class Reader implements Changes {
    private long time;

    Reader(long time) {
      this.time = time;
    }

    @Override
    public CompletionStage<List<CommittedGroup>> next(int bytesMax) {
      return world.ask(
          () -> {
            var next = new ArrayList<CommittedGroup>();
            for (CommittedGroup group : groups.tailMap(time, false).values()) {
              next.add(group);
              time = group.time();
              if ((long) next.size() * GROUP_BYTES >= bytesMax) {
                break;
              }
            }
            return next;
          });
    }

    @Override
    public long time() {
      return time;
    }
  }
}
