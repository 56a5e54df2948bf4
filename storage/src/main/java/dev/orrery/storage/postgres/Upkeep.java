package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has to be done now and then, by any server that is there. */
final class Upkeep implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
  private static final long ROUND_MILLIS = 200;
  private static final int ROUNDS_PER_CLEANING = 50;
  private static final int PAGE_ROWS = 5_000;

  private static final String NEWEST =
      "SELECT max(time), (SELECT epoch FROM partition WHERE part = 0) FROM partition";
  private static final String TRIM =
      "DELETE FROM feed f USING (SELECT part, time, seq FROM feed WHERE part = ? AND time < ?"
          + " ORDER BY time, seq LIMIT ?) g WHERE f.part = g.part AND f.time = g.time AND f.seq = g.seq";

  private record Newest(long time, long epoch) {}

  private record Garbage(long part, int index) {}

  private final PostgresEngine engine;
  private final Thread thread;
  private volatile boolean isClosed;

  Upkeep(PostgresEngine engine) {
    this.engine = engine;
    this.thread = Lane.BACKGROUND.thread("postgres-upkeep", this::run);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    for (int round = 1; !isClosed; round++) {
      try {
        TimeUnit.MILLISECONDS.sleep(ROUND_MILLIS);
        engine.connections().once(this::look);
        if (round % ROUNDS_PER_CLEANING == 0) {
          clean();
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        if (!isClosed) {
          LOG.warn("the database is looked after later: {}", e.getMessage());
        }
      }
    }
  }

  /** Hears of what other servers did. */
  private boolean look(DatabaseSession session) {
    Newest newest = session.first(NEWEST, row -> new Newest(row.getLong(1), row.getLong(2)));
    if (newest.epoch > engine.catalog().newest().version()) {
      engine.catalog().refresh(session, engine);
    }
    engine.committed(newest.time);
    return true;
  }

  void clean() {
    Connections connections = engine.connections();
    connections.once(session -> engine.transactions().clean(session));
    List<Garbage> garbage =
        connections.once(
            session ->
                session.query(
                    "SELECT part, idx FROM garbage",
                    row -> new Garbage(row.getLong(1), row.getInt(2))));
    for (Garbage one : garbage) {
      sweep(one);
    }
    trim();
    connections.once(
        session -> session.update("DELETE FROM call WHERE at < now() - interval '1 day'"));
  }

  private void sweep(Garbage garbage) {
    if (garbage.index == -2) {
      for (String table : List.of("doc", "uniq", "ent", "pkstat", "idxstat")) {
        delete(
            "DELETE FROM "
                + table
                + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM "
                + table
                + " WHERE part = ? LIMIT ?))",
            garbage.part,
            PAGE_ROWS);
      }
    } else {
      for (String table : List.of("uniq", "ent", "idxstat")) {
        delete(
            "DELETE FROM "
                + table
                + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM "
                + table
                + " WHERE part = ? AND idx = ? LIMIT ?))",
            garbage.part,
            garbage.index,
            PAGE_ROWS);
      }
    }
    engine
        .connections()
        .once(
            session ->
                session.update(
                    "DELETE FROM garbage WHERE part = ? AND idx = ?", garbage.part, garbage.index));
  }

  /** Deletes page by page, so that nobody waits for long. */
  private void delete(String sql, Object... parameters) {
    int deleted = PAGE_ROWS;
    while (deleted >= PAGE_ROWS && !isClosed) {
      deleted = engine.connections().once(session -> session.update(sql, parameters));
    }
  }

  private void trim() {
    long millis = engine.options().limits().feedMillis();
    if (millis == Long.MAX_VALUE) {
      return;
    }
    Long trimmed =
        engine
            .connections()
            .once(
                session ->
                    session.first(
                        "UPDATE trimmed SET time = greatest(time, (extract(epoch FROM now())::bigint"
                            + " - ?) << 32) RETURNING time",
                        row -> row.getLong(1),
                        millis / 1000));
    engine.feed().trimmedTo(trimmed);
    List<Long> parts =
        engine
            .connections()
            .once(session -> session.query("SELECT part FROM partition", row -> row.getLong(1)));
    for (long part : parts) {
      delete(TRIM, part, trimmed, PAGE_ROWS);
    }
    engine
        .connections()
        .once(
            session -> {
              session.update("DELETE FROM past WHERE until < ?", trimmed);
              return session.update(
                  "DELETE FROM partition p WHERE state = 2 AND time < ? AND NOT EXISTS"
                      + " (SELECT 1 FROM garbage g WHERE g.part = p.part)",
                  trimmed);
            });
  }

  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
