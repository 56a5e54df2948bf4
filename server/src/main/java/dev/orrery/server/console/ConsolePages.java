package dev.orrery.server.console;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.Logins;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.console.api.Api;
import dev.orrery.server.console.api.ApiException;
import dev.orrery.server.console.api.Caller;
import dev.orrery.server.console.api.Errors;
import dev.orrery.server.console.api.Sources;
import dev.orrery.server.console.http.HttpCall;
import dev.orrery.server.console.http.HttpHead;
import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.console.metrics.ServerMetrics;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;

/**
 * The pages and the API of a server that serves. Scripts and styles are given to everybody, as is
 * the page that asks who one is; whatever they show comes from the API, which wants to know that.
 */
public final class ConsolePages implements Pages, AutoCloseable {
  private static final int COMMAND_BYTES_MAX = 4 << 20;
  private static final int OTHER_BYTES_MAX = 64 << 10;
  private static final String SESSION = Api.ROOT + "/session";
  private static final String LOGIN_START = Api.ROOT + "/login/start";
  private static final String LOGIN_PROCEED = Api.ROOT + "/login/proceed";
  private static final String COMMAND = Api.ROOT + "/command/";
  private static final String MECHANISM = "SCRAM-SHA-256";

  private final StaticFiles files = new StaticFiles();
  private final Api api;
  private final Sources sources;
  private final ServerMetrics metrics;
  private final SessionStore sessions;
  private final Doorkeeper doorkeeper;

  public ConsolePages(
      Sources sources, ServerMetrics metrics, Security security, LongSupplier nanoClock) {
    var random = new SecureRandom();
    this.sources = sources;
    this.metrics = metrics;
    this.api = new Api(sources);
    this.sessions = new SessionStore(random, nanoClock, sources.commands());
    this.doorkeeper = new Doorkeeper(security, sessions, random);
  }

  @Override
  public int bodyBytesMax(HttpHead head) {
    return head.path().startsWith(COMMAND) ? COMMAND_BYTES_MAX : OTHER_BYTES_MAX;
  }

  @Override
  public CompletionStage<HttpReply> handle(HttpCall call) {
    CompletionStage<HttpReply> answer;
    try {
      answer = answer(call);
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.exceptionally(
        failure -> {
          HttpReply reply = Errors.reply(failure);
          if (reply != null) {
            return reply;
          }
          throw failure instanceof CompletionException wrapped
              ? wrapped
              : new CompletionException(failure);
        });
  }

  private CompletionStage<HttpReply> answer(HttpCall call) {
    String path = call.path();
    if (path.equals("/metrics")) {
      return doorkeeper.require(call.head()).thenApply(this::metrics);
    }
    if (path.startsWith(Api.ROOT + "/")) {
      Doorkeeper.requireOwnPage(call.head());
      return switch (path) {
        case LOGIN_START -> start(call);
        case LOGIN_PROCEED -> proceed(call);
        case SESSION -> CompletableFuture.completedFuture(session(call));
        default -> doorkeeper.require(call.head()).thenCompose(caller -> api.handle(caller, call));
      };
    }
    HttpReply file = call.head().isSafe() ? files.find(call.head()) : null;
    return CompletableFuture.completedFuture(
        file == null ? HttpReply.text(404, "There is no such page.\n") : file);
  }

  private HttpReply metrics(Caller caller) {
    if (!caller.allows(sources.access(), Action.SERVER_STATUS, Resource.CLUSTER)) {
      throw new ApiException(403, "Unauthorized", "the right serverStatus is needed");
    }
    return HttpReply.of(200, ServerMetrics.contentType(), metrics.scrape());
  }

  /** Who one is; a stranger learns that a login is wanted. */
  private HttpReply session(HttpCall call) {
    if (call.method().equals("DELETE")) {
      doorkeeper.end(call.head());
      return HttpReply.json(200, "{}").with("set-cookie", Doorkeeper.cookie(call.head(), ""));
    }
    requireMethod(call, "GET");
    Caller caller = doorkeeper.find(call.head());
    boolean needsLogin = sources.facts().needsLogin();
    JsonText json = JsonText.object().field("needsLogin", needsLogin && caller == null);
    if (caller != null) {
      Login.Identity identity = caller.login().identity();
      json.field("user", identity == null ? null : identity.name().toString());
      json.field("version", sources.facts().version());
    }
    return HttpReply.json(200, json.end().toString());
  }

  private static void requireMethod(HttpCall call, String method) {
    if (!call.method().equals(method)) {
      throw new ApiException(405, "MethodNotAllowed", "use " + method);
    }
  }

  private CompletionStage<HttpReply> start(HttpCall call) {
    requireMethod(call, "POST");
    BsonDocument body = body(call);
    UserName name = Doorkeeper.userName(text(body, "user"));
    var start = new Logins.Start(name.database(), MECHANISM, bytes(body, "payload"), true);
    return doorkeeper
        .begin(call.head(), start)
        .thenApply(
            challenge ->
                HttpReply.json(
                    200,
                    JsonText.object()
                        .field("conversation", challenge.conversation())
                        .field("payload", encode(challenge.payload()))
                        .end()
                        .toString()));
  }

  private CompletionStage<HttpReply> proceed(HttpCall call) {
    requireMethod(call, "POST");
    BsonDocument body = body(call);
    return doorkeeper
        .proceed(call.head(), text(body, "conversation"), bytes(body, "payload"))
        .thenApply(
            welcome ->
                HttpReply.json(
                        200,
                        JsonText.object()
                            .field("payload", encode(welcome.payload()))
                            .end()
                            .toString())
                    .with("set-cookie", Doorkeeper.cookie(call.head(), welcome.token())));
  }

  private static BsonDocument body(HttpCall call) {
    try {
      return BsonDocument.parse(call.text());
    } catch (JsonParseException | BsonInvalidOperationException | IllegalArgumentException e) {
      throw new ApiException(400, "BadRequest", "the body is no JSON object");
    }
  }

  private static String text(BsonDocument body, String name) {
    if (!body.isString(name)) {
      throw new ApiException(400, "BadRequest", "'" + name + "' must be a string");
    }
    return body.getString(name).getValue();
  }

  private static byte[] bytes(BsonDocument body, String name) {
    try {
      return Base64.getDecoder().decode(text(body, name));
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, "BadRequest", "'" + name + "' must be base64");
    }
  }

  private static String encode(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  @Override
  public void close() {
    sessions.endAll();
    metrics.close();
  }
}
