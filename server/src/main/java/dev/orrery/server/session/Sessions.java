package dev.orrery.server.session;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that are alive. A session begins with its first use and ends when the client ends
 * it, when it is killed, or when it was not used for {@link #TIMEOUT}; what hangs on it (cursors,
 * transactions) is told by {@link #onEnd}.
 */
public final class Sessions {
  /** As hello tells clients in logicalSessionTimeoutMinutes. */
  public static final Duration TIMEOUT = Duration.ofMinutes(30);

  /** MongoDB's default for its parameter maxSessions. */
  public static final int COUNT_MAX = 1_000_000;

  /** How often the sessions that were forgotten are looked for. */
  private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

  private final Clock clock;
  private final int countMax;
  private final AtomicLong nextSweepMillis;
  private final Map<SessionId, Session> alive = new ConcurrentHashMap<>();

  /**
   * Sessions that were ended or killed before their time: a client that lost the answer to its
   * commit may ask for it again.
   */
  private final Map<SessionId, Session> rested = new ConcurrentHashMap<>();

  private @Nullable Transactions transactions;
  private final List<Consumer<Session>> expiryListeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<Session>> endListeners = new CopyOnWriteArrayList<>();

  public Sessions(Clock clock) {
    this(clock, COUNT_MAX);
  }

  Sessions(Clock clock, int countMax) {
    this.clock = clock;
    this.countMax = countMax;
    this.nextSweepMillis = new AtomicLong(clock.millis() + SWEEP_INTERVAL.toMillis());
  }

  /** Names the transactions that sessions may have; to be called before the first use. */
  public Sessions with(Transactions all) {
    transactions = all;
    return this;
  }

  /** Those that sessions have; null where there are none. */
  public @Nullable Transactions transactions() {
    return transactions;
  }

  /** Calls {@code listener} for every session that ends, on the thread that ends it. */
  public void onEnd(Consumer<Session> listener) {
    endListeners.add(listener);
  }

  /** Calls {@code listener} for every session that nobody will ask for any more. */
  public void onExpiry(Consumer<Session> listener) {
    expiryListeners.add(listener);
  }

  /** The session of that id, begun now if it is new. */
  public Session use(SessionId id) {
    long now = clock.millis();
    sweep(now);
    Session session = alive.get(id);
    if (session == null) {
      if (alive.size() >= countMax) {
        throw new CommandException(
            ErrorCode.TOO_MANY_LOGICAL_SESSIONS,
            "Unable to add session ID %s into the cache because the number of active sessions is too high"
                .formatted(id.id()));
      }
      session = alive.computeIfAbsent(id, key -> anew(key, now));
    }
    session.touch(now);
    return session;
  }

  private Session anew(SessionId id, long now) {
    Session before = rested.remove(id);
    return before == null ? new Session(id, now) : before;
  }

  /** Ends the session, and keeps its numbers for a while; false when it was not alive. */
  public boolean end(SessionId id) {
    Session session = remove(id);
    if (session == null) {
      return false;
    }
    if (session.activeNumber() >= 0) {
      if (rested.size() >= countMax) {
        expire(rested, Long.MAX_VALUE);
      }
      rested.put(id, session);
    }
    return true;
  }

  private @Nullable Session remove(SessionId id) {
    Session session = alive.remove(id);
    if (session != null) {
      session.ended();
      endListeners.forEach(listener -> listener.accept(session));
    }
    return session;
  }

  public void endAll(Predicate<SessionId> which) {
    alive.keySet().stream().filter(which).forEach(this::end);
  }

  /** Ends what was not used for too long, if nobody looked lately. */
  private void sweep(long now) {
    long due = nextSweepMillis.get();
    if (now >= due && nextSweepMillis.compareAndSet(due, now + SWEEP_INTERVAL.toMillis())) {
      expire();
    }
  }

  /** Ends what was not used for too long; to be called now and then. */
  public void expire() {
    long now = clock.millis();
    long oldest = now - TIMEOUT.toMillis();
    alive.values().stream()
        .filter(session -> session.lastUseMillis() < oldest)
        .forEach(this::expire);
    expire(rested, oldest);
  }

  private void expire(Session session) {
    if (remove(session.id()) != null) {
      expiryListeners.forEach(listener -> listener.accept(session));
    }
  }

  private void expire(Map<SessionId, Session> some, long oldest) {
    for (Session session : some.values()) {
      if (session.lastUseMillis() < oldest && some.remove(session.id(), session)) {
        expiryListeners.forEach(listener -> listener.accept(session));
      }
    }
  }

  /** The sessions that are alive now. */
  public List<Session> all() {
    return List.copyOf(alive.values());
  }

  public int count() {
    return alive.size();
  }
}
