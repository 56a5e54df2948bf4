package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The pipeline stages that a multi-document transaction has no place for, in MongoDB's words. */
final class TransactionStages {
  private static final Set<String> WRITING = Set.of("$merge", "$out");
  private static final Set<String> SHARDED = Set.of("$unionWith");
  private static final Set<String> OUTSIDE =
      Set.of(
          "$changeStream",
          "$collStats",
          "$currentOp",
          "$indexStats",
          "$listLocalSessions",
          "$listSampledQueries",
          "$listSessions",
          "$planCacheStats",
          "$shardedDataDistribution");

  private TransactionStages() {}

  /** Refuses a pipeline with such a stage, also inside of others. */
  static void require(AggregateParams params) {
    if (params.options().isExplained()) {
      throw refused(
          "Operation not permitted in transaction :: caused by :: Explain for the aggregate command"
              + " cannot run within a multi-document transaction");
    }
    require(params.pipeline());
  }

  static void require(List<BsonDocument> pipeline) {
    for (BsonDocument stage : pipeline) {
      if (!stage.isEmpty()) {
        require(stage.getFirstKey(), stage.get(stage.getFirstKey()));
      }
    }
  }

  private static void require(String name, BsonValue specification) {
    if (WRITING.contains(name)) {
      throw refused(name + " cannot be used in a transaction");
    }
    if (SHARDED.contains(name)) {
      throw refused("Stage not supported inside of a multi-document transaction: " + name);
    }
    if (OUTSIDE.contains(name)) {
      throw refused(
          "Operation not permitted in transaction :: caused by :: Aggregation stage %s cannot run"
                  .formatted(name)
              + " within a multi-document transaction.");
    }
    if (specification.isDocument()) {
      specification.asDocument().values().forEach(TransactionStages::requireInner);
    }
  }

  /** The pipelines of $facet and $lookup. */
  private static void requireInner(BsonValue value) {
    if (value.isArray() && value.asArray().stream().allMatch(BsonValue::isDocument)) {
      require(value.asArray().stream().map(BsonValue::asDocument).toList());
    }
  }

  private static CommandException refused(String message) {
    return new CommandException(ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION, message);
  }
}
