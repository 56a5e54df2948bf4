package dev.orrery.server.command;

import dev.orrery.server.aggregate.Pipeline;
import dev.orrery.server.aggregate.Run;
import dev.orrery.storage.Namespace;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** What explain says about a pipeline: the query it begins with, and its rewritten stages. */
final class AggregateExplanation {
  private AggregateExplanation() {}

  static BsonDocument of(
      Pipeline pipeline, Run run, Namespace namespace, List<BsonDocument> written) {
    Pipeline.Explained explained = pipeline.explained(run);
    var stages = new BsonArray();
    if (explained.query() != null) {
      var query = explained.query();
      var planner =
          new BsonDocument("namespace", new BsonString(namespace.toString()))
              .append("parsedQuery", query.criteria().document().toBsonDocument())
              .append("sort", query.sortDocument().toBsonDocument())
              .append("skip", new org.bson.BsonInt64(query.skip()))
              .append("limit", new org.bson.BsonInt64(query.limit()));
      stages.add(new BsonDocument("$cursor", new BsonDocument("queryPlanner", planner)));
    }
    stages.addAll(explained.stages());
    var command =
        new BsonDocument("aggregate", new BsonString(namespace.collection()))
            .append("pipeline", new BsonArray(written))
            .append("cursor", new BsonDocument())
            .append("$db", new BsonString(namespace.database()));
    return new BsonDocument("explainVersion", new BsonString("1"))
        .append("stages", stages)
        .append("command", command);
  }
}
