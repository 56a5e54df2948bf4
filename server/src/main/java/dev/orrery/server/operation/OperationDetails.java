package dev.orrery.server.operation;

import static dev.orrery.server.operation.OperationReport.PROFILED_COMMAND_BYTES_MAX;
import static dev.orrery.server.operation.OperationReport.SHORT_COMMAND_BYTES_MAX;

import dev.orrery.language.number.Numbers;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.value.BsonLength;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/**
 * What a request that ended did, told in two ways: as a document of {@code system.profile}, and as
 * a line of the log in the shape of MongoDB's "Slow query".
 */
public final class OperationDetails {
  private static final int SLOW_QUERY_ID = 51803;

  /** Plans of which more would be told are not shown: all replies wait for what is written here. */
  private static final int EXPLAINED_BYTES_MAX = 100 << 10;

  private static final JsonWriterSettings RELAXED =
      JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

  private final Clock clock;

  public OperationDetails(Clock clock) {
    this.clock = clock;
  }

  /** The entry of the profile. */
  BsonDocument profile(Operation operation, BsonDocument reply, long nanos) {
    Subject subject = operation.subject();
    var entry =
        new BsonDocument("op", new BsonString(subject.kind()))
            .append("ns", new BsonString(subject.namespace()))
            .append("command", OperationReport.command(subject, PROFILED_COMMAND_BYTES_MAX));
    counts(entry, operation, reply);
    outcome(entry, reply);
    entry
        .append("locks", new BsonDocument())
        .append("responseLength", new BsonInt32(length(reply)))
        .append("protocol", new BsonString("op_msg"))
        .append("millis", Numbers.intOrLong(TimeUnit.NANOSECONDS.toMillis(nanos)))
        .append("requestCharge", OperationReport.charge(operation));
    plan(entry, operation.plan());
    return client(entry.append("ts", new BsonDateTime(clock.millis())), operation.client());
  }

  /** The plan as explain shows it, unless that is too long for anybody to read. */
  private static void plan(BsonDocument entry, @Nullable QueryPlan plan) {
    if (plan == null) {
      return;
    }
    entry.append("planSummary", new BsonString(plan.summary()));
    if (plan.explainedBytes() > EXPLAINED_BYTES_MAX) {
      entry.append("truncated", BsonBoolean.TRUE);
      return;
    }
    entry.append(
        "execStats",
        plan.explain(ExplainVerbosity.QUERY_PLANNER, new Execution(null, false))
            .getDocument("queryPlanner")
            .getDocument("winningPlan"));
  }

  private static BsonDocument client(BsonDocument entry, Client client) {
    String address = client.remoteAddress();
    int port = address.lastIndexOf(':');
    entry.append("client", new BsonString(port < 0 ? address : address.substring(0, port)));
    if (client.applicationName() != null) {
      entry.append("appName", new BsonString(client.applicationName()));
    }
    UserName user = OperationReport.user(client);
    var users = new BsonArray();
    if (user != null) {
      users.add(user.toBson());
    }
    return entry
        .append("allUsers", users)
        .append("user", new BsonString(user == null ? "" : user.toString()));
  }

  /** What was read, written and returned. */
  private static void counts(BsonDocument entry, Operation operation, BsonDocument reply) {
    if (operation.plan() != null || operation.documentsExamined() > 0) {
      entry
          .append("keysExamined", Numbers.intOrLong(operation.keysExamined()))
          .append("docsExamined", Numbers.intOrLong(operation.documentsExamined()));
    }
    BsonValue cursor = reply.get("cursor");
    if (cursor != null && cursor.isDocument()) {
      cursor(entry, cursor.asDocument());
    }
    BsonValue changed = reply.get("n");
    if (changed != null && changed.isNumber()) {
      String name =
          switch (operation.subject().command()) {
            case "insert" -> "ninserted";
            case "delete" -> "ndeleted";
            case "update" -> "nMatched";
            default -> null;
          };
      if (name != null) {
        entry.append(name, changed);
      }
    }
    if (reply.containsKey("nModified")) {
      entry.append("nModified", reply.get("nModified"));
    }
    if (reply.containsKey("upserted")) {
      entry.append("upsert", BsonBoolean.TRUE);
    }
  }

  private static void cursor(BsonDocument entry, BsonDocument cursor) {
    BsonValue id = cursor.get("id");
    if (id != null && id.isInt64()) {
      boolean isOpen = id.asInt64().getValue() != 0;
      entry.append(isOpen ? "cursorid" : "cursorExhausted", isOpen ? id : BsonBoolean.TRUE);
    }
    BsonValue batch = cursor.getOrDefault("firstBatch", cursor.get("nextBatch"));
    if (batch != null && batch.isArray()) {
      entry.append("nreturned", Numbers.intOrLong(batch.asArray().size()));
    }
  }

  private static void outcome(BsonDocument entry, BsonDocument reply) {
    if (reply.containsKey("code") && reply.containsKey("errmsg")) {
      entry
          .append("ok", new BsonDouble(0))
          .append("errMsg", reply.get("errmsg"))
          .append("errName", reply.getOrDefault("codeName", new BsonString("")))
          .append("errCode", reply.get("code"));
    }
  }

  /** One line of JSON. */
  String logLine(Operation operation, BsonDocument reply, long nanos) {
    Subject subject = operation.subject();
    boolean isWrite = !subject.isRead() && !subject.kind().equals("command");
    return new BsonDocument("t", new BsonDocument("$date", OperationReport.now(clock)))
        .append("s", new BsonString("I"))
        .append("c", new BsonString(isWrite ? "WRITE" : "COMMAND"))
        .append("id", new BsonInt32(SLOW_QUERY_ID))
        .append("ctx", new BsonString("conn" + operation.client().id()))
        .append("msg", new BsonString("Slow query"))
        .append("attr", attributes(operation, reply, nanos))
        .toJson(RELAXED);
  }

  private BsonDocument attributes(Operation operation, BsonDocument reply, long nanos) {
    Subject subject = operation.subject();
    Client client = operation.client();
    String kind = subject.kind();
    boolean isWrite = kind.equals("update") || kind.equals("remove") || kind.equals("insert");
    var attributes =
        new BsonDocument("type", new BsonString(isWrite ? kind : "command"))
            .append("ns", new BsonString(subject.namespace()));
    if (client.applicationName() != null) {
      attributes.append("appName", new BsonString(client.applicationName()));
    }
    attributes.append("command", OperationReport.command(subject, SHORT_COMMAND_BYTES_MAX));
    if (operation.plan() != null) {
      attributes.append("planSummary", new BsonString(operation.plan().summary()));
    }
    counts(attributes, operation, reply);
    outcome(attributes, reply);
    return attributes
        .append("reslen", new BsonInt32(length(reply)))
        .append("locks", new BsonDocument())
        .append("requestCharge", OperationReport.charge(operation))
        .append("partitionsVisited", new BsonInt32(operation.partitionsVisited()))
        .append("remote", new BsonString(client.remoteAddress()))
        .append("protocol", new BsonString("op_msg"))
        .append("durationMillis", Numbers.intOrLong(TimeUnit.NANOSECONDS.toMillis(nanos)));
  }

  private static int length(BsonDocument reply) {
    return (int) Math.min(Integer.MAX_VALUE, BsonLength.of(reply));
  }
}
