package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * What the stages of an aggregate say about the fields that every command may carry: which read
 * concerns they go with, whether there is anything to write, and what is in the Stable API.
 */
final class AggregateConcerns {
  private static final Set<String> WRITING = Set.of("$merge", "$out");

  /** Stages that read what has no versions. */
  private static final Set<String> LOCAL_ONLY =
      Set.of(
          "$collStats",
          "$currentOp",
          "$indexStats",
          "$listLocalSessions",
          "$listSampledQueries",
          "$planCacheStats",
          "$shardedDataDistribution");

  private static final Set<String> UNSTABLE =
      Set.of(
          "$currentOp",
          "$indexStats",
          "$listCatalog",
          "$listLocalSessions",
          "$listSampledQueries",
          "$listSearchIndexes",
          "$listSessions",
          "$planCacheStats",
          "$queryStats",
          "$search",
          "$searchMeta",
          "$shardedDataDistribution",
          "$vectorSearch");

  private static final int DEPTH_MAX = 100;

  private AggregateConcerns() {}

  static void require(CommandContext context, List<BsonDocument> pipeline) {
    if (context.isApiStrict()) {
      requireStable(pipeline, 0);
    }
    if (!isWriting(pipeline)) {
      context.writeConcern().requireNone();
    }
    String level = context.readConcern().level();
    if (!level.equals("local")) {
      pipeline.forEach(stage -> requireLevel(nameOf(stage), level));
    }
  }

  private static boolean isWriting(List<BsonDocument> pipeline) {
    return !pipeline.isEmpty() && WRITING.contains(nameOf(pipeline.get(pipeline.size() - 1)));
  }

  private static String nameOf(BsonDocument stage) {
    return stage.isEmpty() ? "" : stage.getFirstKey();
  }

  private static void requireLevel(String stage, String level) {
    if (WRITING.contains(stage) && level.equals("linearizable")) {
      throw unsupported(level, stage + " cannot be used with a 'linearizable' read concern level");
    }
    if (LOCAL_ONLY.contains(stage)) {
      throw unsupported(
          level,
          "Aggregation stage %s cannot run with a readConcern other than 'local', or in a"
                  .formatted(stage)
              + " multi-document transaction. Current readConcern: "
              + level);
    }
  }

  private static CommandException unsupported(String level, String cause) {
    return new CommandException(
        ErrorCode.INVALID_OPTIONS,
        "Command aggregate does not support { readConcern: { level: \"%s\", provenance:"
                .formatted(level)
            + " \"clientSupplied\" } } :: caused by :: "
            + cause);
  }

  private static void requireStable(List<BsonDocument> pipeline, int depth) {
    for (BsonDocument stage : pipeline) {
      String name = nameOf(stage);
      if (UNSTABLE.contains(name)) {
        throw new CommandException(
            ErrorCode.API_STRICT_ERROR,
            name + " is not allowed with 'apiStrict: true' in API Version 1");
      }
      if (depth < DEPTH_MAX && !name.isEmpty() && stage.get(name).isDocument()) {
        requireStable(name, stage.getDocument(name), depth);
      }
    }
  }

  private static void requireStable(String stage, BsonDocument argument, int depth) {
    switch (stage) {
      case "$collStats" -> {
        if (argument.keySet().stream().anyMatch(option -> !option.equals("count"))) {
          throw new CommandException(
              ErrorCode.API_STRICT_ERROR,
              "only the 'count' option to $collStats is supported in API Version 1");
        }
      }
      case "$facet" -> argument.values().forEach(facet -> requireStable(facet, depth));
      case "$lookup", "$unionWith" -> requireStable(argument.get("pipeline"), depth);
      default -> {} // no pipeline inside
    }
  }

  private static void requireStable(BsonValue pipeline, int depth) {
    if (pipeline != null && pipeline.isArray()) {
      requireStable(
          pipeline.asArray().stream()
              .filter(BsonValue::isDocument)
              .map(BsonValue::asDocument)
              .toList(),
          depth + 1);
    }
  }
}
