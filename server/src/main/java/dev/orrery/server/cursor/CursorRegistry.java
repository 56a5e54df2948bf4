package dev.orrery.server.cursor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open cursors of all clients by id. A request takes a cursor out while it works with it, so no
 * two requests use one at once, and puts it back if there may be more.
 */
public final class CursorRegistry {
  /** How many cursors may be open at once; each may hold a sort's memory. */
  public static final int CURSORS_MAX = 100_000;

  private static final long IDLE_NANOS_MAX = 600_000_000_000L; // ten minutes, as in MongoDB

  /** A cursor, when it was used last, and whether a request has it now. */
  private static final class Entry {
    final ClientCursor cursor;
    final long createdNanos;
    long usedNanos;
    boolean isTaken;
    boolean isKilled;

    Entry(ClientCursor cursor, long usedNanos) {
      this.cursor = cursor;
      this.createdNanos = usedNanos;
      this.usedNanos = usedNanos;
    }
  }

  private final Map<Long, Entry> cursors = new ConcurrentHashMap<>();
  private final LongSupplier nanoClock;
  private final LongSupplier ids;

  /**
   * @param ids random numbers, which become cursor ids: positive and hard to guess
   */
  public CursorRegistry(LongSupplier nanoClock, LongSupplier ids) {
    this.nanoClock = nanoClock;
    this.ids = ids;
  }

  /** Keeps a cursor for later requests; its id. */
  public long add(ClientCursor cursor) {
    if (cursors.size() >= CURSORS_MAX) {
      cursor.close();
      throw new IllegalStateException("more than " + CURSORS_MAX + " cursors are open");
    }
    for (; ; ) {
      long id = ids.getAsLong() & Long.MAX_VALUE;
      var entry = new Entry(cursor, nanoClock.getAsLong());
      if (id != 0 && cursors.putIfAbsent(id, entry) == null) {
        return id;
      }
    }
  }

  /** What {@link #take} found. */
  public enum Taken {
    OK,
    NOT_FOUND,
    IN_USE
  }

  /** The cursor without taking it, to check who may use it; null when there is none. */
  public @Nullable ClientCursor find(long id) {
    Entry entry = cursors.get(id);
    return entry == null ? null : entry.cursor;
  }

  /** Takes a cursor for one request; {@link #release} or {@link #remove} must follow if OK. */
  public Taken take(long id) {
    Entry entry = cursors.get(id);
    if (entry == null) {
      return Taken.NOT_FOUND;
    }
    synchronized (entry) {
      if (entry.isKilled) {
        return Taken.NOT_FOUND;
      }
      if (entry.isTaken) {
        return Taken.IN_USE;
      }
      entry.isTaken = true;
      return Taken.OK;
    }
  }

  /** Puts a taken cursor back. */
  public void release(long id) {
    Entry entry = cursors.get(id);
    if (entry == null) {
      return;
    }
    boolean isKilled;
    synchronized (entry) {
      entry.isTaken = false;
      entry.usedNanos = nanoClock.getAsLong();
      isKilled = entry.isKilled;
    }
    if (isKilled) {
      remove(id);
    }
  }

  /** Ends a taken cursor. */
  public void remove(long id) {
    Entry entry = cursors.remove(id);
    if (entry != null) {
      entry.cursor.close();
    }
  }

  /**
   * Ends a cursor, at once or as soon as the request that has it is done; false if there is none.
   */
  public boolean kill(long id) {
    Entry entry = cursors.get(id);
    if (entry == null) {
      return false;
    }
    synchronized (entry) {
      if (entry.isKilled) {
        return false;
      }
      entry.isKilled = true;
      if (entry.isTaken) {
        return true;
      }
    }
    remove(id);
    return true;
  }

  /** Whether a taken cursor was killed meanwhile. */
  public boolean isKilled(long id) {
    Entry entry = cursors.get(id);
    if (entry == null) {
      return true;
    }
    synchronized (entry) {
      return entry.isKilled;
    }
  }

  /** Ends the cursors of a dropped collection or of an ended session. */
  public void killAll(Predicate<ClientCursor> which) {
    List<Long> ended =
        cursors.entrySet().stream()
            .filter(entry -> which.test(entry.getValue().cursor))
            .map(Map.Entry::getKey)
            .toList();
    ended.forEach(this::kill);
  }

  /** Ends cursors that nobody used for ten minutes; to be called now and then. */
  public void expire() {
    long now = nanoClock.getAsLong();
    killAll(
        cursor -> {
          Entry entry = find(cursor);
          return entry != null
              && !cursor.owner().hasNoTimeout()
              && !entry.isTaken
              && now - entry.usedNanos > IDLE_NANOS_MAX;
        });
  }

  private @Nullable Entry find(ClientCursor cursor) {
    for (Entry entry : cursors.values()) {
      if (entry.cursor == cursor) {
        return entry;
      }
    }
    return null;
  }

  /** A cursor that waits for its client: how old it is, and since when nobody used it. */
  public record Idle(long id, ClientCursor cursor, long ageNanos, long idleNanos) {}

  /** The cursors that no request has now; a snapshot. */
  public List<Idle> idle() {
    long now = nanoClock.getAsLong();
    var idle = new ArrayList<Idle>();
    cursors.forEach(
        (id, entry) -> {
          synchronized (entry) {
            if (!entry.isTaken && !entry.isKilled) {
              idle.add(new Idle(id, entry.cursor, now - entry.createdNanos, now - entry.usedNanos));
            }
          }
        });
    return idle;
  }

  public int count() {
    return cursors.size();
  }
}
