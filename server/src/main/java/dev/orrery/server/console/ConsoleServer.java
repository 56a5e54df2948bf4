package dev.orrery.server.console;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.console.http.HttpCall;
import dev.orrery.server.console.http.HttpHandler;
import dev.orrery.server.console.http.HttpHead;
import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.HttpServer;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.net.TransportSecurity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The console's port: open from the first moment of a start to the last of a stop, so that {@code
 * /readyz} tells of both. Everything else is answered by {@link Pages}, while there are any, and
 * every reply tells browsers to trust it little.
 */
public final class ConsoleServer implements AutoCloseable, HttpHandler {
  private static final int CONNECTIONS_MAX = 256;
  private static final int PACKED_BYTES_MIN = 1 << 10;

  /** Nothing but what this server sends is loaded, run or talked to, and nobody may frame it. */
  private static final Map<String, String> HEADERS =
      Map.of(
          "content-security-policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "cross-origin-opener-policy",
          "same-origin",
          "cross-origin-resource-policy",
          "same-origin",
          "referrer-policy",
          "no-referrer",
          "x-content-type-options",
          "nosniff",
          "x-frame-options",
          "DENY");

  private final Health health;
  private final HostCheck hosts;
  private final boolean needsLogin;
  private final MemoryBudget early = new MemoryBudget(1 << 20);
  private volatile @Nullable Pages pages;
  private volatile @Nullable MemoryBudget memory;
  private HttpServer http;

  /**
   * How to listen.
   *
   * @param ports tried in this order; 0 for any free one
   * @param hosts names that browsers may use beside localhost and addresses, in lower case
   */
  public record Options(
      String bind,
      List<Integer> ports,
      Set<String> hosts,
      boolean needsLogin,
      TransportSecurity security) {}

  private ConsoleServer(Options options, Health health) {
    this.health = health;
    this.hosts = new HostCheck(options.hosts);
    this.needsLogin = options.needsLogin;
  }

  /**
   * Listens, and answers for the health of a server that starts.
   *
   * @throws IOException if no port can be had
   */
  public static ConsoleServer start(Options options, Health health) throws IOException {
    var server = new ConsoleServer(options, health);
    IOException failure = null;
    for (int port : options.ports) {
      try {
        server.http =
            HttpServer.start(
                new HttpServer.Options(
                    options.bind, port, CONNECTIONS_MAX, options.security, server::memory),
                server);
        return server;
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    throw failure == null ? new IOException("the console has no port") : failure;
  }

  /** Where browsers find it. */
  public InetSocketAddress address() {
    return http.address();
  }

  /** Shows the pages from now on. */
  public void show(Pages newPages, MemoryBudget budget) {
    memory = budget;
    pages = newPages;
  }

  /** Shows nothing but its health any more. */
  public void hide() {
    health.stops();
    pages = null;
  }

  private MemoryBudget memory() {
    MemoryBudget present = memory;
    return present == null ? early : present;
  }

  @Override
  public int bodyBytesMax(HttpHead head) {
    Pages present = pages;
    return present == null ? 0 : present.bodyBytesMax(head);
  }

  @Override
  public CompletionStage<HttpReply> handle(HttpCall call) {
    return answer(call).thenApply(reply -> finish(call.head(), reply));
  }

  private CompletionStage<HttpReply> answer(HttpCall call) {
    switch (call.path()) {
      case "/healthz":
        return done(healthz());
      case "/readyz":
        return done(readyz());
      default:
        break;
    }
    if (!hosts.allows(call.head().header("host"))) {
      return done(
          HttpReply.text(
              421,
              "This server is not known by that name. Use localhost or an address, or start it with"
                  + " --console-hosts and the name.\n"));
    }
    Pages present = pages;
    if (present == null) {
      return done(HttpReply.text(503, String.join("\n", health.unready()) + "\n"));
    }
    return present.handle(call);
  }

  private static CompletionStage<HttpReply> done(HttpReply reply) {
    return CompletableFuture.completedFuture(reply);
  }

  private HttpReply healthz() {
    return health.failure() == null
        ? status(200, "ok", List.of())
        : status(503, "failed", health.unready());
  }

  private HttpReply readyz() {
    List<String> reasons = health.unready();
    return status(reasons.isEmpty() ? 200 : 503, reasons.isEmpty() ? "ready" : "unready", reasons);
  }

  /** Strangers are told whether, not why. */
  private HttpReply status(int code, String status, List<String> reasons) {
    JsonText json = JsonText.object().field("status", status);
    if (!reasons.isEmpty() && !needsLogin) {
      json.beginArray("reasons");
      reasons.forEach(json::item);
      json.end();
    }
    return HttpReply.json(code, json.end().toString());
  }

  private static HttpReply finish(HttpHead head, HttpReply given) {
    HttpReply reply = pack(head, given);
    for (Map.Entry<String, String> header : HEADERS.entrySet()) {
      reply = reply.with(header.getKey(), header.getValue());
    }
    return reply.headers().containsKey("cache-control")
        ? reply
        : reply.with("cache-control", "no-store");
  }

  private static HttpReply pack(HttpHead head, HttpReply reply) {
    String encodings = head.header("accept-encoding");
    if (reply.body().length < PACKED_BYTES_MIN
        || reply.headers().containsKey("content-encoding")
        || encodings == null
        || !encodings.contains("gzip")) {
      return reply;
    }
    return new HttpReply(reply.status(), reply.headers(), StaticFiles.pack(reply.body()), null)
        .with("content-encoding", "gzip")
        .with("vary", "accept-encoding");
  }

  @Override
  public void close() {
    hide();
    http.close();
  }
}
