package dev.orrery.storage.postgres;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The tables and functions of the database: made if they are not there, refused if not ours. */
final class Layout {
  /** The one that this version reads and writes. */
  static final int VERSION = 1;

  /** Whoever makes or changes tables holds this lock of the database. */
  private static final long LOCK = 0x6f7272657279L;

  private Layout() {}

  /** Makes the tables if there are none; refuses those of other versions. */
  static void prepare(DatabaseSession session, String schema) {
    session.begin();
    session.query("SELECT 1 FROM pg_advisory_xact_lock(?)", row -> 1, LOCK);
    Integer found = version(session, schema);
    if (found == null) {
      session.run("CREATE SCHEMA IF NOT EXISTS " + schema);
      session.run(text("layout-1.sql"));
      session.run(text("functions.sql"));
    } else if (found != VERSION) {
      throw new StorageException(
          StorageException.Reason.UNUSABLE,
          "the tables of schema %s have layout %d, and this version knows %d%s"
              .formatted(schema, found, VERSION, Advice.onVersion(found, VERSION)));
    }
    session.commit();
  }

  private static Integer version(DatabaseSession session, String schema) {
    Boolean isThere =
        session.first(
            "SELECT to_regclass(?) IS NOT NULL", row -> row.getBoolean(1), schema + ".meta");
    return Boolean.TRUE.equals(isThere)
        ? session.first("SELECT layout FROM meta", row -> row.getInt(1))
        : null;
  }

  private static String text(String name) {
    try (InputStream in = Layout.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the jar lacks " + name, e);
    }
  }
}
