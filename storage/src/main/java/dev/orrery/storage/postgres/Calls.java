package dev.orrery.storage.postgres;

import dev.orrery.storage.StorageException;
import java.security.SecureRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that are made once: when the connection is lost, the database is asked whether the
 * last one was committed before another is begun.
 */
final class Calls {
  private static final SecureRandom NUMBERS = new SecureRandom();
  private static final long PAUSE_MILLIS = 100;

  private static final String RECORD =
      "INSERT INTO call (slot, call, time, fenced, at) VALUES (?, 1, ?, false, now())";

  /** Whatever the cut off call still does then is undone: it finds its slot fenced. */
  private static final String RESOLVE =
      "INSERT INTO call AS c (slot, call, time, fenced, at) VALUES (?, 0, 0, true, now())"
          + " ON CONFLICT (slot) DO UPDATE SET fenced = true RETURNING c.call, c.time";

  /**
   * What a transaction did.
   *
   * @param time 0 when it has changed nothing that anybody follows
   */
  record Done<T>(T result, long time) {}

  private record Resolved(long call, long time) {}

  private final Connections connections;

  Calls(Connections connections) {
    this.connections = connections;
  }

  static long number() {
    return NUMBERS.nextLong() >>> 1 | 1;
  }

  /** The time of a call if it was committed, or null. */
  @Nullable Long resolve(long slot, long call) {
    Resolved found =
        connections.with(
            session ->
                session.first(RESOLVE, row -> new Resolved(row.getLong(1), row.getLong(2)), slot));
    return found.call == call ? found.time : null;
  }

  /** Waits a little for a database that is away, or gives up. */
  static void pause(LostConnectionException e, long deadline) {
    if (System.nanoTime() > deadline) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, e.getMessage(), e);
    }
    Connections.sleep(PAUSE_MILLIS);
  }

  static long deadline() {
    return System.nanoTime() + PostgresOptions.PATIENCE_MILLIS * 1_000_000;
  }

  /**
   * Does something as one transaction, which it has to begin, and commits it.
   *
   * @param after called when it is committed
   */
  <T> T once(Function<DatabaseSession, Done<T>> work, Consumer<Done<T>> after) {
    long deadline = deadline();
    for (; ; ) {
      long slot = number();
      var made = new Made<T>();
      try {
        connections.once(
            session -> {
              Done<T> done = work.apply(session);
              session.update(RECORD, slot, done.time());
              made.ending = done;
              session.commit();
              return null;
            });
      } catch (LostConnectionException e) {
        if (made.ending == null || resolve(slot, 1) == null) {
          pause(e, deadline);
          continue;
        }
      }
      after.accept(made.ending);
      return made.ending.result();
    }
  }

  /** Null until the transaction is about to be committed. */
  private static final class Made<T> {
    @Nullable Done<T> ending;
  }
}
