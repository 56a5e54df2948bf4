package dev.orrery.server.plan;

import dev.orrery.value.Namespace;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * What explain found out in the form of Cosmos DB, which has it for {@code {executionStatistics:
 * true}}. It has no sizes and no parts of times there, as these are not measured.
 */
public final class CosmosExplanation {
  private static final String SHARD_NAME = "partition-";

  private final BsonDocument planner;
  private final BsonDocument statistics;

  private CosmosExplanation(BsonDocument planner, BsonDocument statistics) {
    this.planner = planner;
    this.statistics = statistics;
  }

  /**
   * @param reply that of explain with execution statistics
   */
  public static BsonDocument of(BsonDocument reply) {
    BsonDocument read = read(reply);
    var explanation =
        new CosmosExplanation(read.getDocument("queryPlanner"), read.getDocument("executionStats"));
    return new BsonDocument("stages", new BsonArray(List.of(explanation.stage())))
        // An explain asks no budget, so nothing holds it up.
        .append("estimatedDelayFromRateLimitingInMilliseconds", new BsonDouble(0))
        .append("continuation", new BsonDocument("hasMore", BsonBoolean.FALSE));
  }

  /** What reads the collection; of a pipeline its first stage. */
  private static BsonDocument read(BsonDocument reply) {
    return reply.containsKey("stages")
        ? reply.getArray("stages").get(0).asDocument().getDocument("$cursor")
        : reply;
  }

  private BsonDocument stage() {
    var millis = new BsonDouble(number(statistics, "executionTimeMillis"));
    var found = new BsonInt64(number(statistics, "nReturned"));
    return new BsonDocument("stage", new BsonString("$query"))
        .append("timeInclusiveMS", millis)
        .append("timeExclusiveMS", millis)
        .append("in", found)
        .append("out", found)
        .append("details", details());
  }

  private BsonDocument details() {
    Namespace namespace = namespace(planner.getString("namespace").getValue());
    BsonDocument query = planner.getDocument("parsedQuery");
    Set<String> asked = new LinkedHashSet<>();
    addPaths(query, asked);
    Set<String> scanned = new LinkedHashSet<>();
    addScanned(planner.getDocument("winningPlan"), scanned);
    var indexed = new BsonArray();
    var others = new BsonArray();
    asked.forEach(path -> (scanned.contains(path) ? indexed : others).add(new BsonString(path)));
    return new BsonDocument("database", new BsonString(namespace.database()))
        .append("collection", new BsonString(namespace.collection()))
        .append("query", query)
        .append("pathsIndexed", indexed)
        .append("pathsNotIndexed", others)
        .append("shardInformation", shards())
        .append("queryMetrics", metrics());
  }

  private static Namespace namespace(String text) {
    int dot = text.indexOf('.');
    return new Namespace(text.substring(0, dot), text.substring(dot + 1));
  }

  private static void addPaths(BsonDocument query, Set<String> paths) {
    query.forEach(
        (name, value) -> {
          if (!name.startsWith("$")) {
            paths.add(name);
          } else if (value.isArray()) {
            value.asArray().stream()
                .filter(BsonValue::isDocument)
                .forEach(clause -> addPaths(clause.asDocument(), paths));
          }
        });
  }

  /** The paths of all indexes that the plan reads. */
  private static void addScanned(BsonDocument plan, Set<String> paths) {
    if (plan.containsKey("keyPattern")) {
      paths.addAll(plan.getDocument("keyPattern").keySet());
    }
    if (plan.getString("stage", new BsonString("")).getValue().equals("IDHACK")) {
      paths.add("_id");
    }
    for (BsonValue part : plan.values()) {
      if (part.isDocument()) {
        addScanned(part.asDocument(), paths);
      } else if (part.isArray()) {
        part.asArray().stream()
            .filter(BsonValue::isDocument)
            .forEach(one -> addScanned(one.asDocument(), paths));
      }
    }
  }

  private BsonArray shards() {
    BsonDocument stages = statistics.getDocument("executionStages");
    var shards = new BsonArray();
    if (stages.containsKey("shards")) {
      stages.getArray("shards").forEach(shard -> shards.add(shard(shard.asDocument())));
    } else {
      shards.add(shard(statistics));
    }
    return shards;
  }

  private static BsonDocument shard(BsonDocument part) {
    String name = part.getString("shardName", new BsonString(SHARD_NAME + 0)).getValue();
    return new BsonDocument("shardKeyRangeId", new BsonString(name.substring(SHARD_NAME.length())))
        .append("durationMS", new BsonDouble(number(part, "executionTimeMillis")))
        .append("outputDocumentCount", new BsonInt64(number(part, "nReturned")))
        .append("retrievedDocumentCount", new BsonInt64(number(part, "totalDocsExamined")));
  }

  private BsonDocument metrics() {
    long read = number(statistics, "totalDocsExamined");
    long found = number(statistics, "nReturned");
    return new BsonDocument("retrievedDocumentCount", new BsonInt64(read))
        .append("outputDocumentCount", new BsonInt64(found))
        .append("indexHitRatio", new BsonDouble(read == 0 ? 1 : (double) found / read))
        .append(
            "totalQueryExecutionTimeMS", new BsonDouble(number(statistics, "executionTimeMillis")))
        .append("requestCharge", statistics.get("requestCharge", new BsonInt32(0)));
  }

  private static long number(BsonDocument document, String name) {
    return document.getNumber(name).longValue();
  }
}
