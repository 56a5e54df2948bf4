package dev.orrery.value;

import java.util.Objects;

/** A collection's full name: database and collection. */
public record Namespace(String database, String collection) implements Comparable<Namespace> {
  public static final int DATABASE_CHARACTERS_MAX = 63;

  /** The characters below 64, a bit for each: every request has its database's name checked. */
  private static final long FORBIDDEN_IN_DATABASES =
      1L << '/' | 1L << '.' | 1L << ' ' | 1L << '"' | 1L << '\0';

  public Namespace {
    Objects.requireNonNull(database);
    Objects.requireNonNull(collection);
  }

  /** Whether a database may be called that. */
  public static boolean isDatabaseName(String name) {
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

  @Override
  public int compareTo(Namespace other) {
    int order = database.compareTo(other.database);
    return order != 0 ? order : collection.compareTo(other.collection);
  }

  /** The form of the protocol: {@code database.collection}. */
  @Override
  public String toString() {
    return database + "." + collection;
  }
}
