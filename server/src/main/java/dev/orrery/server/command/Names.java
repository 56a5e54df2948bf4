package dev.orrery.server.command;

import static dev.orrery.language.error.ErrorCode.INVALID_NAMESPACE;

import dev.orrery.language.error.CommandException;
import dev.orrery.value.Namespace;
import java.nio.charset.StandardCharsets;

/** Which names of databases and collections are allowed, and MongoDB's words for the others. */
public final class Names {
  static final int NAMESPACE_BYTES_MAX = 255;
  private static final int UTF8_BYTES_MAX = 3; // of a char

  private Names() {}

  /** Refuses a database name that no command can use. */
  public static void requireDatabase(String database) {
    requireLength(database);
    if (!Namespace.isDatabaseName(database)) {
      throw new CommandException(INVALID_NAMESPACE, "Invalid database name: '" + database + "'");
    }
  }

  static void requireLength(String database) {
    if (database.length() > Namespace.DATABASE_CHARACTERS_MAX) {
      throw new CommandException(
          INVALID_NAMESPACE,
          "db name must be at most %d characters, found: %d"
              .formatted(Namespace.DATABASE_CHARACTERS_MAX, database.length()));
    }
  }

  /** Refuses a namespace that cannot exist; names with {@code $} pass, for they can be read. */
  public static void requireNamespace(String database, String collection) {
    if (collection.indexOf('\0') >= 0) {
      throw new CommandException(
          INVALID_NAMESPACE, "namespaces cannot have embedded null characters");
    }
    if (collection.startsWith(".")) {
      throw new CommandException(
          INVALID_NAMESPACE, "Collection names cannot start with '.': " + collection);
    }
    if (collection.isEmpty() || !Namespace.isDatabaseName(database)) {
      throw new CommandException(
          INVALID_NAMESPACE, "Invalid namespace specified '" + database + "." + collection + "'");
    }
  }

  /** Refuses what can be read, but not created. */
  public static void requireCreatable(String database, String collection) {
    requireNamespace(database, collection);
    if (collection.indexOf('$') >= 0) {
      throw new CommandException(INVALID_NAMESPACE, "Invalid collection name: " + collection);
    }
    if (UTF8_BYTES_MAX * (database.length() + 1 + collection.length()) <= NAMESPACE_BYTES_MAX) {
      return; // whatever the characters are
    }
    String namespace = database + "." + collection;
    if (namespace.getBytes(StandardCharsets.UTF_8).length > NAMESPACE_BYTES_MAX) {
      throw new CommandException(
          INVALID_NAMESPACE,
          "Fully qualified namespace is too long. Namespace: %s Max: %d"
              .formatted(namespace, NAMESPACE_BYTES_MAX));
    }
  }
}
