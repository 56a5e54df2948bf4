package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What Cosmos DB refuses about indexes that MongoDB takes; in force in the profile cosmos. */
public final class CosmosIndexRules {
  static final int PATHS_MAX = 8;
  static final int UNIQUE_MAX = 10;
  static final int UNIQUE_PATHS_MAX = 16;
  static final int UNIQUE_PATH_BYTES_MAX = 60;

  /** Kinds that Cosmos DB lacks; 2dsphere and wildcards it has. */
  private static final Set<String> KINDS = Set.of("text", "2d", "hashed");

  private final CosmosRules rules;

  public CosmosIndexRules(CosmosRules rules) {
    this.rules = rules;
  }

  /**
   * What the indexes are for.
   *
   * @param partitionKey null without one
   * @param uniqueBefore how many unique indexes there are
   */
  public record Subject(
      Namespace namespace, @Nullable String partitionKey, int uniqueBefore, boolean hasDocuments) {
    /** A collection, of which these indexes stay. */
    public static Subject of(CollectionStore collection, List<IndexSpec> staying) {
      long unique =
          staying.stream().filter(index -> index.isUnique() && !index.isIdIndex()).count();
      boolean hasDocuments = Sizes.total(collection.partitions()).documents() > 0;
      CollectionInfo info = collection.info();
      return new Subject(info.namespace(), info.partitionKey(), (int) unique, hasDocuments);
    }

    String place(IndexSpec index) {
      return namespace + " index " + index.name();
    }
  }

  public void require(Subject subject, List<IndexSpec> added) {
    int unique = subject.uniqueBefore;
    for (IndexSpec index : added) {
      if (index.isIdIndex()) {
        continue;
      }
      refuse(CosmosRule.INDEX_KINDS, subject.place(index), checkKind(index));
      requirePaths(subject, index);
      if (index.isUnique()) {
        unique++;
        refuse(CosmosRule.UNIQUE_INDEXES, subject.place(index), checkUnique(subject, index));
      }
    }
    if (unique > UNIQUE_MAX) {
      refuse(
          CosmosRule.UNIQUE_INDEXES,
          subject.namespace.toString(),
          refused("A collection can have at most %d unique indexes".formatted(UNIQUE_MAX)));
    }
  }

  private void refuse(CosmosRule rule, String place, @Nullable CommandException refusal) {
    if (refusal != null) {
      rules.refuse(rule, place, refusal);
    }
  }

  private static @Nullable CommandException checkKind(IndexSpec index) {
    if (index.isSparse()) {
      return refused("The 'sparse' option is not supported.");
    }
    if (index.collation() != null) {
      return refused("The 'collation' option is not supported.");
    }
    if (index.document().containsKey("wildcardProjection")) {
      return refused("The 'wildcardProjection' option is not supported.");
    }
    if (index.partialFilter() != null && !index.isUnique()) {
      return refused("The 'partialFilterExpression' option is supported on unique indexes only.");
    }
    for (BsonValue kind : index.keyPattern().values()) {
      if (kind.isString() && KINDS.contains(kind.asString().getValue())) {
        return refused("Indexes of type '%s' are not supported.".formatted(number(kind)));
      }
    }
    return null;
  }

  private void requirePaths(Subject subject, IndexSpec index) {
    Set<String> paths = index.keyPattern().keySet();
    if (paths.size() > 1 && paths.stream().anyMatch(path -> path.contains("."))) {
      refuse(
          CosmosRule.COMPOUND_NESTED_PATHS,
          subject.place(index),
          refused("Compound index does not currently support nested documents or arrays."));
    }
    if (!index.isUnique() && paths.size() > PATHS_MAX) {
      refuse(
          CosmosRule.INDEX_PATHS,
          subject.place(index),
          refused("A compound index can have at most %d paths".formatted(PATHS_MAX)));
    }
    if (index.expireAfterSeconds().isPresent() && !Expiry.isLastChange(index)) {
      refuse(
          CosmosRule.TTL_PATH,
          subject.place(index),
          new CommandException(
              ErrorCode.BAD_VALUE,
              "The 'expireAfterSeconds' option is supported on '_ts' field only."));
    }
  }

  private static @Nullable CommandException checkUnique(Subject subject, IndexSpec index) {
    if (subject.hasDocuments) {
      return refused("Cannot create unique index when collection contains documents");
    }
    String key = subject.partitionKey;
    if (key != null && !index.keyPattern().containsKey(key)) {
      return refused(
          "cannot create unique index over {%s} with shard key pattern { %s : 1.0 }"
              .formatted(pattern(index), key));
    }
    int bytes = 0;
    for (String path : index.keyPattern().keySet()) {
      bytes += path.getBytes(StandardCharsets.UTF_8).length;
    }
    if (index.keyPattern().size() > UNIQUE_PATHS_MAX || bytes > UNIQUE_PATH_BYTES_MAX) {
      return refused(
          "A unique index can have at most %d paths of %d bytes together"
              .formatted(UNIQUE_PATHS_MAX, UNIQUE_PATH_BYTES_MAX));
    }
    return null;
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
