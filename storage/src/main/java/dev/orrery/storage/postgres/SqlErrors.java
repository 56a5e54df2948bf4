package dev.orrery.storage.postgres;

import dev.orrery.storage.StorageException;
import java.sql.SQLException;
import java.util.Set;

/** What the database's errors mean to those who use storage. */
final class SqlErrors {
  /** Read only now, not serializable, a deadlock, a lock that is not free. */
  private static final Set<String> UNDONE = Set.of("25006", "40001", "40P01", "55P03");

  private SqlErrors() {}

  private static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }

  /**
   * Whether the connection is of no use any more, leads to a server that became a standby, or had
   * its transaction undone because of another one: it is to be tried again by another connection.
   */
  static boolean isLost(SQLException e) {
    String state = state(e);
    return state.startsWith("08") || state.startsWith("57P") || UNDONE.contains(state);
  }

  static RuntimeException translate(SQLException e) {
    if (isLost(e)) {
      return new LostConnectionException("the database was lost: " + e.getMessage(), e);
    }
    String state = state(e);
    StorageException.Reason reason = StorageException.Reason.IO;
    if (state.equals("53100")) {
      reason = StorageException.Reason.DISK_FULL;
    } else if (state.startsWith("53") || state.startsWith("28")) {
      reason = StorageException.Reason.UNAVAILABLE;
    } else if (state.equals("XX001") || state.equals("XX002")) {
      reason = StorageException.Reason.CORRUPT;
    }
    return new StorageException(reason, "PostgreSQL: " + e.getMessage(), e);
  }
}
