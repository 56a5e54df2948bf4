package dev.orrery.server.update;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Pipelines of updates: which stages they may have, and what these do with a document. */
final class Pipelines {
  private static final Map<String, PipelineStage> STAGES =
      Map.of(
          "$addFields", PipelineStages::parseSet,
          "$project", PipelineStages::parseProject,
          "$replaceRoot", PipelineStages::parseReplaceRoot,
          "$replaceWith", PipelineStages::parseReplaceWith,
          "$set", PipelineStages::parseSet,
          "$unset", PipelineStages::parseUnset);

  /** Stages of aggregations that no update may use. */
  private static final Set<String> REFUSED =
      Set.of(
          "$bucket",
          "$bucketAuto",
          "$changeStream",
          "$collStats",
          "$count",
          "$currentOp",
          "$densify",
          "$documents",
          "$facet",
          "$fill",
          "$geoNear",
          "$graphLookup",
          "$group",
          "$indexStats",
          "$limit",
          "$listLocalSessions",
          "$listSessions",
          "$lookup",
          "$match",
          "$merge",
          "$out",
          "$planCacheStats",
          "$redact",
          "$sample",
          "$search",
          "$setWindowFields",
          "$shardedDataDistribution",
          "$skip",
          "$sort",
          "$sortByCount",
          "$unionWith",
          "$unwind");

  /** Stages that others stand for, under whose names they are refused. */
  private static final Map<String, String> ALIASES =
      Map.of(
          "$bucket", "$group",
          "$changeStream", "$_internalChangeStreamOplogMatch",
          "$count", "$group",
          "$sortByCount", "$group");

  private Pipelines() {}

  static void requireForm(BsonArray pipeline) {
    for (BsonValue stage : pipeline) {
      if (!stage.isDocument()) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH, "Each element of the 'pipeline' array must be an object");
      }
    }
    for (BsonValue stage : pipeline) {
      if (stage.asDocument().size() != 1) {
        throw new CommandException(
            ErrorCode.LOCATION_40323,
            "A pipeline stage specification object must contain exactly one field.");
      }
      String name = stage.asDocument().getFirstKey();
      if (!STAGES.containsKey(name) && !REFUSED.contains(name)) {
        throw new CommandException(
            ErrorCode.LOCATION_40324, "Unrecognized pipeline stage name: '" + name + "'");
      }
    }
  }

  /** What the stages, one after the other, make of a document. */
  static UnaryOperator<BsonDocument> parse(List<BsonDocument> pipeline, UpdateOptions options) {
    var context = options.expressions();
    if (options.constants() != null) {
      for (var constant : options.constants().entrySet()) {
        context = context.withConstant(constant.getKey(), constant.getValue());
      }
    }
    var stages = new ArrayList<UnaryOperator<BsonDocument>>();
    String refused = null;
    for (var stage : pipeline) {
      String name = stage.getFirstKey();
      if (STAGES.containsKey(name)) {
        stages.add(STAGES.get(name).parse(name, stage.get(name), context));
      } else if (refused == null) {
        refused = ALIASES.getOrDefault(name, name);
      }
    }
    if (refused != null) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS, refused + " is not allowed to be used within an update");
    }
    return document -> run(stages, document);
  }

  private static BsonDocument run(List<UnaryOperator<BsonDocument>> stages, BsonDocument document) {
    var result = document;
    for (var stage : stages) {
      result = stage.apply(result);
    }
    return result;
  }
}
