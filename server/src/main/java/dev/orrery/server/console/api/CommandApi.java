package dev.orrery.server.console.api;

import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.JsonText;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/**
 * Runs any command of the server for the caller, whose roles apply: {@code POST
 * /command/{database}}. The body is the command in Extended JSON, or as mongosh writes it.
 */
final class CommandApi {
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();
  private static final double NANOS_PER_MILLI = 1e6;

  private final Sources sources;

  CommandApi(Sources sources) {
    this.sources = sources;
  }

  List<Route> routes() {
    return List.of(new Route("POST", "/command/{database}", this::run));
  }

  private CompletionStage<HttpReply> run(ApiCall call) {
    BsonDocument command = call.body();
    if (command.isEmpty()) {
      throw ApiException.badRequest("the body must be a command");
    }
    boolean isCanonical = call.query("format", "relaxed").equals("canonical");
    return sources
        .commands()
        .run(call.caller(), call.name("database"), command)
        .thenApply(answer -> reply(answer, isCanonical));
  }

  private static HttpReply reply(CommandRunner.Answer answer, boolean isCanonical) {
    if (!answer.isOk()) {
      return Errors.of(answer.reply());
    }
    JsonText json =
        JsonText.object()
            .field("requestCharge", answer.units())
            .field("millis", answer.nanos() / NANOS_PER_MILLI);
    String text =
        isCanonical ? answer.reply().toJson(CANONICAL) : JsonText.extended(answer.reply());
    return HttpReply.json(200, json.raw("reply", text).end().toString());
  }
}
