package dev.orrery.language.aggregate;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.Namespace;
import java.util.Set;

/** Which collections $out and $merge may name, in the words that each of them has. */
enum TargetName {
  OUT("Invalid $out target namespace, %s", "Can't $out", ErrorCode.LOCATION_17385) {
    @Override
    ErrorCode internal() {
      return ErrorCode.LOCATION_31321;
    }
  },
  MERGE("Invalid $merge target namespace: '%s'", "Cannot $merge", ErrorCode.LOCATION_31319) {
    @Override
    ErrorCode internal() {
      return ErrorCode.LOCATION_31320;
    }
  };

  private static final Set<String> INTERNAL = Set.of("admin", "config", "local");

  private final String invalid;
  private final String refusal;
  private final ErrorCode special;

  TargetName(String invalid, String refusal, ErrorCode special) {
    this.invalid = invalid;
    this.refusal = refusal;
    this.special = special;
  }

  /** The code for a database of the system. */
  abstract ErrorCode internal();

  /** The namespace, unless nobody may write there. A {@code $} is found when it is written. */
  Namespace require(String database, String collection) {
    requireSpelling(database, collection);
    if (collection.isEmpty() || !Namespace.isDatabaseName(database)) {
      boolean isDatabaseOnly = this == OUT && collection.isEmpty();
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          invalid.formatted(isDatabaseOnly ? database : database + "." + collection));
    }
    if (collection.startsWith("system.")) {
      throw new CommandException(special, refusal + " to special collection: " + collection);
    }
    if (INTERNAL.contains(database)) {
      throw new CommandException(internal(), refusal + " to internal database: " + database);
    }
    return new Namespace(database, collection);
  }

  private static void requireSpelling(String database, String collection) {
    if (database.length() > Namespace.DATABASE_CHARACTERS_MAX) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "db name must be at most %d characters, found: %d"
              .formatted(Namespace.DATABASE_CHARACTERS_MAX, database.length()));
    }
    if (collection.startsWith(".")) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "Collection names cannot start with '.': " + collection);
    }
    if (collection.indexOf('\0') >= 0 || database.indexOf('\0') >= 0) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "namespaces cannot have embedded null characters");
    }
  }
}
