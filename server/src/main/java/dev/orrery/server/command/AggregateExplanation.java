package dev.orrery.server.command;

import dev.orrery.server.aggregate.Pipeline;
import dev.orrery.server.aggregate.Run;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.Planner;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.Namespace;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * What explain says about a pipeline: the plan of the query it begins with, and its stages as they
 * were rewritten.
 */
final class AggregateExplanation {
  private final Planner planner;
  private final Execution execution;
  private final Namespace namespace;

  AggregateExplanation(Planner planner, Execution execution, Namespace namespace) {
    this.planner = planner;
    this.execution = execution;
    this.namespace = namespace;
  }

  /**
   * @param collection what the pipeline reads; null when it does not exist
   * @param written the stages as the user gave them
   */
  BsonDocument explain(
      Pipeline pipeline,
      Run run,
      @Nullable CollectionStore collection,
      List<BsonDocument> written) {
    Pipeline.Explained explained = pipeline.explained(run);
    var stages = new BsonArray();
    var reply = new BsonDocument("explainVersion", new BsonString("1"));
    if (explained.query() != null) {
      BsonDocument query =
          collection == null
              ? nothing()
              : planner
                  .plan(AggregateEnvironment.query(collection, explained.query()))
                  .explain(ExplainVerbosity.QUERY_PLANNER, execution);
      if (explained.stages().isEmpty()) {
        // The query does it all, so it is explained as a find is.
        reply.append("queryPlanner", query.get("queryPlanner"));
        return reply.append("command", command(written));
      }
      stages.add(
          new BsonDocument("$cursor", new BsonDocument("queryPlanner", query.get("queryPlanner"))));
    }
    stages.addAll(explained.stages());
    return reply.append("stages", stages).append("command", command(written));
  }

  private BsonDocument command(List<BsonDocument> written) {
    return new BsonDocument("aggregate", new BsonString(namespace.collection()))
        .append("pipeline", new BsonArray(written))
        .append("cursor", new BsonDocument())
        .append("$db", new BsonString(namespace.database()));
  }

  private BsonDocument nothing() {
    return new BsonDocument(
        "queryPlanner",
        new BsonDocument("namespace", new BsonString(namespace.toString()))
            .append("indexFilterSet", BsonBoolean.FALSE)
            .append("winningPlan", new BsonDocument("stage", new BsonString("EOF")))
            .append("rejectedPlans", new BsonArray()));
  }
}
