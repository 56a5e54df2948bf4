package dev.orrery.server.operation;

import dev.orrery.server.session.SessionId;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawElements;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks for.
 *
 * @param command the name of the command in its present spelling
 * @param isRead whether it changes nothing
 */
public record Subject(
    String command,
    String database,
    RawDocument body,
    @Nullable SessionId session,
    boolean isRead) {
  /** Commands whose first field names the collection that they are about. */
  private static final Set<String> ON_COLLECTIONS =
      Set.of(
          "aggregate",
          "cloneCollectionAsCapped",
          "collMod",
          "collStats",
          "compact",
          "convertToCapped",
          "count",
          "create",
          "createIndexes",
          "delete",
          "distinct",
          "drop",
          "dropIndexes",
          "find",
          "findAndModify",
          "insert",
          "killCursors",
          "listIndexes",
          "mapReduce",
          "planCacheClear",
          "reIndex",
          "update",
          "validate");

  /** Whether nobody needs it once the client is gone. */
  boolean endsWithClient() {
    return isRead || command.equals("createIndexes"); // MongoDB ends it too
  }

  /** MongoDB's word for the kind of request. */
  public String kind() {
    return switch (command) {
      case "find" -> "query";
      case "getMore" -> "getmore";
      case "insert", "update" -> command;
      case "delete" -> "remove";
      default -> "command";
    };
  }

  /** The collection that the request names, or null. */
  public @Nullable String collection() {
    if (command.equals("getMore")) {
      return text(body.field("collection"));
    }
    if (!ON_COLLECTIONS.contains(command)) {
      return null;
    }
    RawElements first = body.elements();
    return first.next() ? text(first.value()) : null;
  }

  /** {@code database.collection}, or MongoDB's names for what is on no collection. */
  public String namespace() {
    String collection = collection();
    if (collection != null) {
      return database + "." + collection;
    }
    return database + (command.equals("aggregate") ? ".$cmd.aggregate" : ".$cmd");
  }

  private static @Nullable String text(@Nullable RawValue value) {
    return value != null && value.type() == RawTypes.STRING ? value.asString() : null;
  }
}
