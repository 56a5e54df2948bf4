package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.index.IndexSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What Cosmos DB refuses about indexes that MongoDB takes; in force in the profile cosmos. */
final class CosmosIndexRules {
  static final int UNIQUE_MAX = 10;
  static final int UNIQUE_PATHS_MAX = 16;
  static final int UNIQUE_PATH_BYTES_MAX = 60;

  private CosmosIndexRules() {}

  /**
   * What the indexes are for.
   *
   * @param partitionKey null without one
   * @param uniqueBefore how many unique indexes there are
   */
  record Subject(@Nullable String partitionKey, int uniqueBefore, boolean hasDocuments) {}

  static void require(Subject subject, List<IndexSpec> added) {
    int unique = subject.uniqueBefore;
    for (IndexSpec index : added) {
      if (index.isIdIndex()) {
        continue;
      }
      if (index.isSparse()) {
        throw refused("The 'sparse' option is not supported.");
      }
      if (index.isUnique()) {
        unique++;
        requireUnique(subject, index);
      }
    }
    if (unique > UNIQUE_MAX) {
      throw refused("A collection can have at most %d unique indexes".formatted(UNIQUE_MAX));
    }
  }

  private static void requireUnique(Subject subject, IndexSpec index) {
    if (subject.hasDocuments) {
      throw refused("Cannot create unique index when collection contains documents");
    }
    String key = subject.partitionKey;
    if (key != null && !index.keyPattern().containsKey(key)) {
      throw refused(
          "cannot create unique index over {%s} with shard key pattern { %s : 1.0 }"
              .formatted(pattern(index), key));
    }
    int bytes = 0;
    for (String path : index.keyPattern().keySet()) {
      bytes += path.getBytes(StandardCharsets.UTF_8).length;
    }
    if (index.keyPattern().size() > UNIQUE_PATHS_MAX || bytes > UNIQUE_PATH_BYTES_MAX) {
      throw refused(
          "A unique index can have at most %d paths of %d bytes together"
              .formatted(UNIQUE_PATHS_MAX, UNIQUE_PATH_BYTES_MAX));
    }
  }

  /** {@code a : 1.0, b : 1.0}. */
  private static String pattern(IndexSpec index) {
    var text = new StringBuilder();
    index
        .keyPattern()
        .forEach(
            (path, direction) ->
                text.append(text.isEmpty() ? "" : ", ")
                    .append(path)
                    .append(" : ")
                    .append(number(direction)));
    return text.toString();
  }

  private static String number(BsonValue direction) {
    return direction.isNumber()
        ? String.valueOf(direction.asNumber().doubleValue())
        : direction.asString().getValue();
  }

  private static CommandException refused(String message) {
    return new CommandException(ErrorCode.CANNOT_CREATE_INDEX, message);
  }
}
