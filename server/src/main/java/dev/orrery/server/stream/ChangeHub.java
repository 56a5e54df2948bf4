package dev.orrery.server.stream;

import dev.orrery.lane.Lane;
import dev.orrery.server.cursor.Following;
import dev.orrery.server.plan.Execution;
import dev.orrery.storage.Change;
import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.StorageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The end of the feed of changes, read once for all streams that are near it. A stream that is far
 * behind reads for itself until it has caught up.
 */
public final class ChangeHub {
  /** How much is kept of what was read; a stream that is slower reads again. */
  private static final int KEPT_BYTES_MAX = 4 << 20;

  private static final int READ_BYTES = 1 << 20;
  private static final int MADE_MAX = 1000;

  private final Supplier<ChangeFeed> feed;
  private final Bell bell;
  private final Deque<CommittedGroup> kept = new ArrayDeque<>();

  /** Events of what was read last, which most streams make alike; by the change itself. */
  private final Map<Change, Map<Object, BsonDocument>> made = new IdentityHashMap<>();

  private @Nullable Changes reader;
  private long keptAfter;
  private long keptBytes;
  private int streams;
  private volatile long ownReadBytes = READ_BYTES;

  public ChangeHub(Supplier<ChangeFeed> feed, Starter starter) {
    this.feed = feed;
    this.bell = new Bell(feed, starter, this);
  }

  /** Where the work of those goes on who waited. */
  public interface Starter {
    void start(Runnable work);

    void startLater(long millis, Runnable work);
  }

  /**
   * What comes next.
   *
   * @param upTo everything up to this cluster time is in it, or was before
   * @param hashes of identifiers that some stream has asked for, which others will too
   */
  record Next(List<CommittedGroup> groups, long upTo, Map<Change, String> hashes) {}

  ChangeFeed feed() {
    return feed.get();
  }

  Following.Ring listen(Bell.Listener listener) {
    return bell.listen(listener);
  }

  synchronized void open() {
    streams++;
  }

  synchronized void close() {
    if (--streams == 0) {
      reader = null;
      made.clear();
      kept.clear();
      keptBytes = 0;
    }
  }

  /** What was committed after that time; null when it is too long ago for what is kept. */
  @Nullable Next after(long time, Execution execution) {
    return after(time, execution::await);
  }

  /** The same for the one who looks for all who wait; null also when the feed cannot be read. */
  @Nullable Next news(long time) {
    try {
      return after(time, Lane::await);
    } catch (StorageException e) {
      return null; // who is woken up for it meets the failure, and tells its client
    }
  }

  private synchronized @Nullable Next after(
      long time, Function<CompletionStage<List<CommittedGroup>>, List<CommittedGroup>> wait) {
    if (reader == null) {
      keptAfter = feed().newest();
      reader = feed().after(keptAfter);
    }
    if (time < keptAfter) {
      return null;
    }
    if (time >= reader.time()) {
      keep(wait.apply(reader.next(READ_BYTES)));
    }
    if (time < keptAfter) {
      return null; // so much came at once
    }
    var groups = new ArrayList<CommittedGroup>();
    for (CommittedGroup group : kept) {
      if (group.time() > time) {
        groups.add(group);
      }
    }
    return new Next(groups, Math.max(time, reader.time()), new IdentityHashMap<>());
  }

  /**
   * The event of a change, made once for all streams that show it alike while it is new. Nobody may
   * change it.
   *
   * @param form equal for those who show it alike
   */
  BsonDocument event(Change change, Object form, Supplier<BsonDocument> maker) {
    synchronized (this) {
      Map<Object, BsonDocument> forms = made.get(change);
      BsonDocument known = forms == null ? null : forms.get(form);
      if (known != null) {
        return known;
      }
    }
    BsonDocument event = maker.get();
    synchronized (this) {
      if (made.size() < MADE_MAX) {
        made.computeIfAbsent(change, each -> new HashMap<>()).put(form, event);
      }
    }
    return event;
  }

  private void keep(List<CommittedGroup> groups) {
    if (!groups.isEmpty()) {
      made.clear();
    }
    for (CommittedGroup group : groups) {
      kept.add(group);
      keptBytes += group.bytes();
    }
    while (keptBytes > KEPT_BYTES_MAX && kept.size() > 1) {
      CommittedGroup gone = kept.remove();
      keptBytes -= gone.bytes();
      keptAfter = gone.time();
    }
  }

  /** What a stream had better have memory for that is about to read for itself. */
  long ownReadBytes() {
    return ownReadBytes;
  }

  /** The next one will most likely find as much. */
  void noteOwnRead(List<CommittedGroup> read) {
    long bytes = read.stream().mapToLong(CommittedGroup::bytes).sum();
    ownReadBytes = Math.max(READ_BYTES, bytes);
  }

  /** Whether what is kept begins before that time. */
  synchronized boolean reaches(long time) {
    return reader != null && time >= keptAfter;
  }
}
