package dev.orrery.storage.postgres;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** One connection, for one thread at a time. */
final class DatabaseSession implements AutoCloseable {
  private static final SecureRandom SLOTS = new SecureRandom();

  /** Makes something of a row. */
  @FunctionalInterface
  interface Row<T> {
    T of(ResultSet row) throws SQLException;
  }

  /** Longer than this nobody leaves one idle: firewalls forget it, and its slot is cleaned up. */
  private static final long IDLE_NANOS = 600_000_000_000L;

  private final Connection connection;
  private final AtomicLong trips;

  /** Names the connection in the table of calls. */
  final long slot = SLOTS.nextLong() >>> 1;

  private long used = System.nanoTime();

  /** The last call that is known to be committed; 0 for none. */
  long lastCall;

  /**
   * @param trips counts questions that wait for an answer
   */
  DatabaseSession(Connection connection, AtomicLong trips) {
    this.connection = connection;
    this.trips = trips;
  }

  boolean isOld() {
    return System.nanoTime() - used > IDLE_NANOS;
  }

  <T> List<T> query(String sql, Row<T> row, Object... parameters) {
    try (PreparedStatement statement = prepare(sql, parameters)) {
      trips.incrementAndGet();
      try (ResultSet rows = statement.executeQuery()) {
        var found = new ArrayList<T>();
        while (rows.next()) {
          found.add(row.of(rows));
        }
        return found;
      }
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** The only row, or null. */
  <T> @Nullable T first(String sql, Row<T> row, Object... parameters) {
    List<T> found = query(sql, row, parameters);
    return found.isEmpty() ? null : found.get(0);
  }

  /** Changes something; how many rows. */
  int update(String sql, Object... parameters) {
    try (PreparedStatement statement = prepare(sql, parameters)) {
      trips.incrementAndGet();
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Runs what has no parameters, perhaps several statements. */
  void run(String sql) {
    try (var statement = connection.createStatement()) {
      trips.incrementAndGet();
      statement.execute(sql);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
    used = System.nanoTime();
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      bind(statement, i + 1, parameters[i]);
    }
    return statement;
  }

  private void bind(PreparedStatement statement, int place, Object value) throws SQLException {
    if (value instanceof Long number) {
      statement.setLong(place, number);
    } else if (value instanceof Integer number) {
      statement.setInt(place, number);
    } else if (value instanceof byte[] bytes) {
      statement.setBytes(place, bytes);
    } else if (value instanceof String text) {
      statement.setString(place, text);
    } else if (value instanceof Boolean truth) {
      statement.setBoolean(place, truth);
    } else {
      String type = value instanceof long[] ? "int8" : value instanceof int[] ? "int4" : "bytea";
      statement.setArray(place, connection.unwrap(PGConnection.class).createArrayOf(type, value));
    }
  }

  /** Lets everything be one transaction until {@link #commit} or {@link #rollBack}. */
  void begin(int isolation, boolean isReadOnly) {
    try {
      connection.setTransactionIsolation(isolation);
      connection.setReadOnly(isReadOnly);
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  void begin() {
    begin(Connection.TRANSACTION_READ_COMMITTED, false);
  }

  void commit() {
    try {
      trips.incrementAndGet();
      connection.commit();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Ends a transaction, if there is one; false when the connection is of no use any more. */
  boolean rollBack() {
    try {
      if (!connection.getAutoCommit()) {
        trips.incrementAndGet();
        connection.rollback();
        connection.setAutoCommit(true);
      }
      if (connection.isReadOnly()) {
        connection.setReadOnly(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      return !connection.isClosed();
    } catch (SQLException e) {
      return false; // whoever opens the next one learns why
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // The server frees it when it notices that nobody is there.
    }
  }
}
