package dev.orrery.server.cursor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
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

  /** How long a cursor lives on without a connection of its client, which may come back. */
  private static final long ABANDONED_NANOS_MAX = 5_000_000_000L;

  /** A cursor, when it was used last, and whether a request has it now. */
  private static final class Entry {
    final ClientCursor cursor;
    final long createdNanos;
    long usedNanos;
    boolean isTaken;
    boolean isKilled;
    volatile boolean isAbandoned;
    long abandonedNanos;

    Entry(ClientCursor cursor, long usedNanos) {
      this.cursor = cursor;
      this.createdNanos = usedNanos;
      this.usedNanos = usedNanos;
    }
  }

  private final Map<Long, Entry> cursors = new ConcurrentHashMap<>();
  private final Map<Object, Set<Long>> bySession = new ConcurrentHashMap<>();
  private final LongAdder opened = new LongAdder();
  private final LongAdder continued = new LongAdder();
  private final LongAdder timedOut = new LongAdder();
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
    rest(cursor);
    var entry = new Entry(cursor, nanoClock.getAsLong());
    long id = ids.getAsLong() & Long.MAX_VALUE;
    while (id == 0 || cursors.putIfAbsent(id, entry) != null) {
      id = ids.getAsLong() & Long.MAX_VALUE;
    }
    opened.increment();
    Object session = cursor.owner().session();
    if (session != null) {
      long added = id;
      bySession.compute(
          session,
          (key, some) -> {
            Set<Long> all = some == null ? new HashSet<>() : some;
            all.add(added);
            return all;
          });
    }
    return id;
  }

  /** Lets a cursor keep little while nobody reads it; one that cannot is closed. */
  private static void rest(ClientCursor cursor) {
    try {
      cursor.execution().memory().rest();
    } catch (RuntimeException | Error e) {
      cursor.close();
      throw e;
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
      entry.cursor.execution().memory().wake();
      return Taken.OK;
    }
  }

  /** Puts a taken cursor back. */
  public void release(long id) {
    Entry entry = cursors.get(id);
    if (entry == null) {
      return;
    }
    try {
      rest(entry.cursor);
    } catch (RuntimeException | Error e) {
      remove(id);
      throw e;
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
    if (entry == null) {
      return;
    }
    Object session = entry.cursor.owner().session();
    if (session != null) {
      bySession.computeIfPresent(
          session,
          (key, some) -> {
            some.remove(id);
            return some.isEmpty() ? null : some;
          });
    }
    if (entry.cursor.batchesReturned() > 1) {
      continued.increment();
    }
    entry.cursor.close();
  }

  /** What became of cursors since the start: those that were kept, read on, or forgotten. */
  public record Totals(long opened, long continued, long timedOut) {}

  public Totals totals() {
    return new Totals(opened.sum(), continued.sum(), timedOut.sum());
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

  /** Ends the cursors of a session that has ended. */
  public void killSession(Object session) {
    var ended = new ArrayList<Long>();
    bySession.computeIfPresent(
        session,
        (key, some) -> {
          ended.addAll(some);
          return some;
        });
    ended.forEach(this::kill);
  }

  /** Ends all cursors that no request has now. */
  public void killAll() {
    List.copyOf(cursors.keySet()).forEach(this::kill);
  }

  /** Ends cursors that nobody used for ten minutes; to be called now and then. */
  public void expire() {
    long now = nanoClock.getAsLong();
    timedOut.add(
        killIdle(
            entry ->
                now - entry.usedNanos > IDLE_NANOS_MAX && !entry.cursor.owner().hasNoTimeout()));
  }

  /**
   * Ends cursors that nobody can use any more; to be called when a client has gone, and again a
   * little later.
   *
   * @return false when some are left whose client may still come back
   */
  public boolean endAbandoned(Set<Object> connectedClients) {
    long now = nanoClock.getAsLong();
    killIdle(entry -> isLost(entry, connectedClients, now));
    return cursors.values().stream().noneMatch(entry -> entry.isAbandoned);
  }

  private static boolean isLost(Entry entry, Set<Object> connectedClients, long now) {
    boolean wasAbandoned = entry.isAbandoned;
    entry.isAbandoned = entry.cursor.isAbandoned(connectedClients);
    if (!wasAbandoned) {
      entry.abandonedNanos = now;
    }
    return entry.isAbandoned && now - entry.abandonedNanos > ABANDONED_NANOS_MAX;
  }

  /** How many it ended. */
  private int killIdle(Predicate<Entry> which) {
    var ended = new ArrayList<Long>();
    cursors.forEach(
        (id, entry) -> {
          synchronized (entry) {
            if (!entry.isTaken && which.test(entry)) {
              ended.add(id);
            }
          }
        });
    ended.forEach(this::kill);
    return ended.size();
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
