package dev.orrery.server.console.api;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.operation.RecentOperations;
import java.util.List;
import java.util.Locale;

/** The last requests: {@code GET /operations}. For those who may see what others do. */
final class OperationsApi {
  private static final int LIMIT = 500;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Sources sources;

  OperationsApi(Sources sources) {
    this.sources = sources;
  }

  List<Route> routes() {
    return List.of(Route.get("/operations", Route.now(this::list)));
  }

  private HttpReply list(ApiCall call) {
    if (!call.caller().allows(sources.access(), Action.INPROG, Resource.CLUSTER)) {
      throw ApiException.forbidden("the right inprog is needed to see what others do");
    }
    long limit = call.number("limit", LIMIT, 1, RecentOperations.KEPT_MAX);
    long after = call.number("after", 0, 0, Long.MAX_VALUE);
    String own = call.query("own", "false");
    JsonText json = JsonText.object().beginArray("operations");
    long count = 0;
    for (RecentOperations.Entry entry : sources.operations().list()) {
      boolean isOwn = Caller.APPLICATION.equals(entry.where().application());
      if (entry.number() <= after || count >= limit) {
        break;
      }
      if (!isOwn || own.equals("true")) {
        write(json, entry);
        count++;
      }
    }
    return HttpReply.json(200, json.end().end().toString());
  }

  private static void write(JsonText json, RecentOperations.Entry entry) {
    RecentOperations.Spent spent = entry.spent();
    json.beginObject()
        .field("number", entry.number())
        .field("time", entry.endMillis())
        .field("command", entry.subject().command())
        .field("database", entry.subject().database())
        .field("collection", entry.subject().collection())
        .field("text", entry.command())
        .field("client", entry.where().client())
        .field("application", entry.where().application())
        .field("comment", entry.where().comment())
        .field("user", entry.where().user())
        .field("requestCharge", spent.units())
        .field("millis", spent.nanos() / NANOS_PER_MILLI)
        .field("partitions", spent.partitions())
        .field("keysExamined", spent.keysExamined())
        .field("documentsExamined", spent.documentsExamined())
        .field("documentsReturned", spent.documentsReturned())
        .field("plan", spent.plan())
        .field("shape", spent.shape().text())
        .field("shapeId", Long.toString(spent.shape().id()))
        .field("result", entry.outcome().name().toLowerCase(Locale.ROOT))
        .field("error", entry.error())
        .field("weight", entry.weight())
        .end();
  }
}
