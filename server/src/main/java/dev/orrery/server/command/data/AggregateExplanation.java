package dev.orrery.server.command.data;

import dev.orrery.language.aggregate.Pipeline;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * What explain says about a pipeline: the plan of the query it begins with, and its stages as they
 * were rewritten. With execution statistics the pipeline runs to its end, unless it writes.
 */
final class AggregateExplanation {
  private static final List<String> QUERY_FIELDS = List.of("queryPlanner", "executionStats");

  private final Planner planner;
  private final Execution execution;
  private final ExplainVerbosity verbosity;

  AggregateExplanation(Planner planner, Execution execution, ExplainVerbosity verbosity) {
    this.planner = planner;
    this.execution = execution;
    this.verbosity = verbosity;
  }

  /**
   * @param collection what the pipeline reads; null when it does not exist
   */
  BsonDocument explain(
      Namespace namespace,
      Pipeline pipeline,
      PipelineRun run,
      @Nullable CollectionStore collection) {
    boolean isRun = verbosity != ExplainVerbosity.QUERY_PLANNER && !pipeline.isWriting();
    Pipeline.Explained explained = isRun ? pipeline.explainedAfter(run) : pipeline.explained(run);
    var reply = new BsonDocument("explainVersion", new BsonString("1"));
    var stages = new BsonArray();
    if (explained.query() != null) {
      QueryPlan plan = collection == null ? null : plan(collection, explained.query());
      BsonDocument query =
          plan == null
              ? nothing(namespace)
              : ExplainStages.priced(
                  plan, collection, isRun ? verbosity : ExplainVerbosity.QUERY_PLANNER, execution);
      if (plan != null && explained.split() != null) {
        appendSplit(reply, plan, explained.split());
      }
      query.keySet().retainAll(QUERY_FIELDS);
      boolean isNear = GeoFilters.findNear(explained.query().criteria().filter()) != null;
      if (explained.stages().isEmpty() && !isNear) {
        // The query does it all, so it is explained as a find is.
        reply.putAll(query);
        return reply;
      }
      stages.add(new BsonDocument(isNear ? "$geoNearCursor" : "$cursor", query));
    }
    stages.addAll(explained.stages());
    for (int i = 0; i < explained.statistics().size(); i++) {
      Pipeline.Measured measured = explained.statistics().get(i);
      stages
          .get(i)
          .asDocument()
          .append("nReturned", new BsonInt64(measured.returned()))
          .append("executionTimeMillisEstimate", new BsonInt64(measured.millis()));
    }
    return reply.append("stages", stages);
  }

  private QueryPlan plan(CollectionStore collection, SourceQuery source) {
    Query query = PipelinePlans.query(collection, source);
    return PipelinePlans.plan(planner, source, query, Targets.of(query));
  }

  /** As mongos has it, if the partitions group their documents by themselves. */
  private static void appendSplit(BsonDocument reply, QueryPlan plan, Pipeline.Split split) {
    if (AggregateEnvironment.parts(plan).size() > 1) {
      reply.append(
          "splitPipeline",
          new BsonDocument("shardsPart", new BsonArray(split.partitionPart()))
              .append("mergerPart", new BsonArray(split.mergingPart())));
    }
  }

  static BsonDocument command(Namespace namespace, List<BsonDocument> written) {
    return new BsonDocument("aggregate", new BsonString(namespace.collection()))
        .append("pipeline", new BsonArray(written))
        .append("cursor", new BsonDocument())
        .append("$db", new BsonString(namespace.database()));
  }

  private static BsonDocument nothing(Namespace namespace) {
    return new BsonDocument(
        "queryPlanner",
        new BsonDocument("namespace", new BsonString(namespace.toString()))
            .append("indexFilterSet", BsonBoolean.FALSE)
            .append("winningPlan", new BsonDocument("stage", new BsonString("EOF")))
            .append("rejectedPlans", new BsonArray()));
  }
}
