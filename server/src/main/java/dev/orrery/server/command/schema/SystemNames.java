package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Names;
import java.util.Set;

/** Collections whose name starts with {@code system.}: only a few may be created by users. */
final class SystemNames {
  static final String VIEWS = "system.views";
  private static final Set<String> ALLOWED = Set.of("system.js", "system.profile", VIEWS);
  private static final Set<String> ALLOWED_IN_ADMIN =
      Set.of("system.users", "system.roles", "system.version", "system.keys");

  private SystemNames() {}

  /** Refuses names that a user cannot create, write or rename to. */
  static void requireWritable(String database, String collection) {
    Names.requireCreatable(database, collection);
    if (collection.startsWith("system.") && !isAllowed(database, collection)) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "Invalid system namespace: " + database + "." + collection);
    }
  }

  private static boolean isAllowed(String database, String collection) {
    return ALLOWED.contains(collection)
        || collection.startsWith("system.buckets.")
        || (database.equals("admin") && ALLOWED_IN_ADMIN.contains(collection));
  }
}
