package dev.orrery.server.command;

import static dev.orrery.language.error.ErrorCode.INVALID_NAMESPACE;

import dev.orrery.language.error.CommandException;
import java.nio.charset.StandardCharsets;

/** Which names of databases and collections are allowed, and MongoDB's words for the others. */
public final class Names {
  static final int DATABASE_CHARACTERS_MAX = 63;
  static final int NAMESPACE_BYTES_MAX = 255;
  private static final int UTF8_BYTES_MAX = 3; // of a char

  /** The characters below 64, a bit for each: every request has its database's name checked. */
  private static final long FORBIDDEN_IN_DATABASES =
      1L << '/' | 1L << '.' | 1L << ' ' | 1L << '"' | 1L << '\0';

  private Names() {}

  /** Refuses a database name that no command can use. */
  public static void requireDatabase(String database) {
    requireLength(database);
    if (!isDatabase(database)) {
      throw new CommandException(INVALID_NAMESPACE, "Invalid database name: '" + database + "'");
    }
  }

  static void requireLength(String database) {
    if (database.length() > DATABASE_CHARACTERS_MAX) {
      throw new CommandException(
          INVALID_NAMESPACE,
          "db name must be at most %d characters, found: %d"
              .formatted(DATABASE_CHARACTERS_MAX, database.length()));
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
    if (collection.isEmpty() || !isDatabase(database)) {
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

  private static boolean isDatabase(String name) {
    if (name.isEmpty() || name.length() > DATABASE_CHARACTERS_MAX) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (isForbiddenInDatabases(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isForbiddenInDatabases(char c) {
    return c < Long.SIZE ? (FORBIDDEN_IN_DATABASES >>> c & 1) != 0 : c == '\\';
  }
}
