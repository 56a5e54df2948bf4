package dev.orrery.server.operation;

import dev.orrery.server.session.SessionId;
import dev.orrery.value.RawDocument;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks for.
 *
 * @param command the name of the command in its present spelling
 * @param collection the collection that the request names, or null
 * @param isRead whether it changes nothing
 * @param statement the first update or deletion that came beside the body, or null
 */
public record Subject(
    String command,
    String database,
    @Nullable String collection,
    RawDocument body,
    @Nullable SessionId session,
    boolean isRead,
    @Nullable RawDocument statement) {
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

  private static final RawDocument NOTHING = RawDocument.wrap(new byte[] {5, 0, 0, 0, 0});

  /** The same without the bytes of the request, to be kept for long. */
  Subject withoutBody() {
    return new Subject(command, database, collection, NOTHING, session, isRead, null);
  }

  /** Whether nobody needs it once the client is gone. */
  boolean endsWithClient() {
    return isRead
        || command.equals("hello")
        || command.equals("isMaster")
        || command.equals("createIndexes"); // MongoDB ends it too
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

  /** The field in which a command names its collection, as its own name is one; null without. */
  public static @Nullable String collectionField(String command) {
    if (command.equals("getMore")) {
      return "collection";
    }
    return ON_COLLECTIONS.contains(command) ? command : null;
  }

  /** {@code database.collection}, or MongoDB's names for what is on no collection. */
  public String namespace() {
    if (collection != null) {
      return database + "." + collection;
    }
    return database + (command.equals("aggregate") ? ".$cmd.aggregate" : ".$cmd");
  }
}
