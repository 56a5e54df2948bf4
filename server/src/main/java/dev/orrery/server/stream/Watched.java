package dev.orrery.server.stream;

import dev.orrery.value.Namespace;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a stream looks at: one collection, a database, or all of them.
 *
 * @param database null for all
 * @param collection null for all of the database
 */
record Watched(@Nullable String database, @Nullable String collection) {
  private static final Set<String> INTERNAL = Set.of("admin", "config", "local");

  boolean includes(Namespace namespace) {
    if (collection != null) {
      return namespace.collection().equals(collection) && namespace.database().equals(database);
    }
    return includes(namespace.database()) && !namespace.collection().startsWith("system.");
  }

  boolean includes(String name) {
    return database == null ? !INTERNAL.contains(name) : database.equals(name);
  }

  /** Whether that collection is all that is looked at. */
  boolean isOnly(Namespace namespace) {
    return collection != null && includes(namespace);
  }

  /** Whether that database is all that is looked at. */
  boolean isOnly(String name) {
    return collection == null && name.equals(database);
  }
}
