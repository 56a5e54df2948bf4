package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.throughput.MeteredRead;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** What commands add to the explanation of their plan: the stage that they are themselves. */
final class ExplainStages {
  private static final BsonInt32 ZERO = new BsonInt32(0);

  private ExplainStages() {}

  /** MongoDB explains one statement of a write command only. */
  static void requireOne(int statements) {
    if (statements != 1) {
      throw new CommandException(
          ErrorCode.INVALID_LENGTH, "explained write batches must be of size 1");
    }
  }

  /** Of a collection that does not exist. */
  static BsonDocument ofNothing(Namespace namespace, ExplainVerbosity verbosity) {
    var planner =
        new BsonDocument("namespace", new BsonString(namespace.toString()))
            .append("indexFilterSet", BsonBoolean.FALSE)
            .append("parsedQuery", new BsonDocument())
            .append("winningPlan", new BsonDocument("stage", new BsonString("EOF")))
            .append("rejectedPlans", new BsonArray());
    var answer =
        new BsonDocument("explainVersion", new BsonString("1")).append("queryPlanner", planner);
    if (verbosity == ExplainVerbosity.QUERY_PLANNER) {
      return answer;
    }
    return answer.append(
        "executionStats",
        new BsonDocument("executionSuccess", BsonBoolean.TRUE)
            .append("nReturned", ZERO)
            .append("executionTimeMillis", ZERO)
            .append("totalKeysExamined", ZERO)
            .append("totalDocsExamined", ZERO)
            .append("executionStages", new BsonDocument("stage", new BsonString("EOF"))));
  }

  /** The plan's explanation with the price of what was done, where it went, and by which index. */
  static BsonDocument priced(
      QueryPlan plan, CollectionStore collection, ExplainVerbosity verbosity, Execution execution) {
    BsonDocument answer = plan.explain(verbosity, execution);
    if (!answer.containsKey("executionStats")) {
      return answer;
    }
    BsonDocument statistics = answer.getDocument("executionStats");
    long returned = statistics.getNumber("nReturned").longValue();
    var read = new MeteredRead(collection, execution, plan.isPointRead());
    var indexes = new BsonArray();
    plan.indexes().forEach(index -> indexes.add(new BsonString(index.name())));
    if (indexes.isEmpty() && plan.isShort()) {
      indexes.add(new BsonString("_id_")); // a lookup by primary key
    }
    statistics
        .append(
            "requestCharge",
            new BsonDouble(read.price(returned, execution.resultBytes()).toDouble()))
        .append("partitionsVisited", new BsonInt32(execution.partitionsVisited()))
        .append("indexesUsed", indexes);
    return answer;
  }

  static BsonDocument ofCount(BsonDocument inner, Query.Window window) {
    long found = found(inner).asNumber().longValue();
    return wrap(
        inner,
        "COUNT",
        new BsonDocument("nCounted", Numbers.intOrLong(window.of(found)))
            .append("nSkipped", Numbers.intOrLong(Math.min(found, window.skip()))));
  }

  static BsonDocument ofDeletion(BsonDocument inner) {
    BsonValue found = found(inner);
    return wrap(inner, "DELETE", new BsonDocument("nWouldDelete", found));
  }

  static BsonDocument ofUpdate(BsonDocument inner, boolean isUpsert) {
    BsonValue found = found(inner);
    boolean wouldInsert = isUpsert && found.equals(ZERO);
    return wrap(
        inner,
        "UPDATE",
        new BsonDocument("nMatched", found)
            .append("nWouldModify", found)
            .append("nWouldUpsert", new BsonInt32(wouldInsert ? 1 : 0)));
  }

  private static BsonValue found(BsonDocument explanation) {
    BsonDocument statistics = explanation.getDocument("executionStats", new BsonDocument());
    return statistics.getOrDefault("nReturned", ZERO);
  }

  /** Puts a stage on top of the plan; {@code counters} are what it counted. */
  static BsonDocument wrap(BsonDocument inner, String stage, BsonDocument counters) {
    BsonDocument planner = inner.getDocument("queryPlanner");
    planner.put(
        "winningPlan",
        new BsonDocument("stage", new BsonString(stage))
            .append("inputStage", planner.get("winningPlan")));
    if (inner.containsKey("executionStats")) {
      BsonDocument statistics = inner.getDocument("executionStats");
      var stages = new BsonDocument("stage", new BsonString(stage)).append("nReturned", ZERO);
      stages.putAll(counters);
      stages.append("inputStage", statistics.get("executionStages"));
      statistics.put("nReturned", ZERO);
      statistics.put("executionStages", stages);
    }
    return inner;
  }
}
