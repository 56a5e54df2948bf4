package dev.orrery.server.command.collection;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.command.Names;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import java.util.Set;

/** Which collections users may write to. */
public final class WriteTarget {
  private static final Set<String> SYSTEM_WRITABLE =
      Set.of("system.js", "system.users", "system.roles", "system.version", "system.keys");

  private static final Set<String> OF_USERS = Set.of("system.users", "system.roles");

  private WriteTarget() {}

  /** Refuses names that no user may write to, whether there is such a collection or not. */
  public static void requireName(CommandContext context, String collection) {
    String database = context.database();
    String namespace = database + "." + collection;
    boolean isOfUsers = database.equals("admin") && OF_USERS.contains(collection);
    if (context.transaction() != null && isSystem(collection) && !isOfUsers) {
      throw new CommandException(
          ErrorCode.LOCATION_50791,
          "Cannot write to system collection " + namespace + " within a transaction.");
    }
    Names.requireCreatable(database, collection);
    if (collection.equals("system.profile") || collection.equals("system.views")) {
      throw FieldErrors.invalidNamespace("cannot write to " + namespace);
    }
    if (isSystem(collection) && !SYSTEM_WRITABLE.contains(collection)) {
      throw FieldErrors.invalidNamespace("Invalid system namespace: " + namespace);
    }
  }

  private static boolean isSystem(String collection) {
    return collection.startsWith("system.") && !collection.startsWith("system.buckets.");
  }

  /** Refuses a view. */
  public static void requireCollection(CollectionStore collection) {
    CollectionInfo info = collection.info();
    if (info.isView()) {
      throw new CommandException(
          ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW,
          "Namespace " + info.namespace() + " is a view, not a collection");
    }
  }
}
