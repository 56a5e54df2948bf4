package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import dev.orrery.storage.StorageException;
import java.util.function.Supplier;

/**
 * Lets one server at a time work on the structure of a collection for longer than a transaction: an
 * index that is built, a partition that is split. It is a lock of a connection, so it ends with the
 * server that has it.
 */
final class StructureLock {
  private static final int SCHEMA_BITS = 32;

  private final PostgresEngine engine;

  StructureLock(PostgresEngine engine) {
    this.engine = engine;
  }

  private long key(int collection) {
    return (long) engine.options().schema().hashCode() << SCHEMA_BITS | collection;
  }

  <T> T with(PostgresCollection collection, Supplier<T> work) {
    Lane.requireMayWait();
    long key = key(collection.id());
    try {
      return engine
          .connections()
          .once(
              session -> {
                session.query("SELECT 1 FROM pg_advisory_lock(?)", row -> 1, key);
                try {
                  return work.get();
                } finally {
                  session.query("SELECT pg_advisory_unlock(?)", row -> 1, key);
                }
              });
    } catch (LostConnectionException e) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, e.getMessage(), e);
    }
  }

  /** Whether nobody works on a collection now; asked inside a transaction, which keeps it so. */
  boolean isFree(DatabaseSession session, int collection) {
    return session.first(
        "SELECT pg_try_advisory_xact_lock(?)", row -> row.getBoolean(1), key(collection));
  }
}
