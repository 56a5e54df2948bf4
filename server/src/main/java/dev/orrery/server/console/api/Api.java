package dev.orrery.server.console.api;

import dev.orrery.server.console.http.HttpCall;
import dev.orrery.server.console.http.HttpReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The API: finds who answers a request. What it offers is described in {@code openapi.json}. */
public final class Api {
  /** What stands before every path. */
  public static final String ROOT = "/api/v1";

  private final List<Route> routes;

  public Api(Sources sources) {
    var all = new ArrayList<Route>();
    all.addAll(new OverviewApi(sources).routes());
    all.addAll(new CollectionsApi(sources).routes());
    all.addAll(new HeatApi(sources).routes());
    all.addAll(new OperationsApi(sources).routes());
    all.addAll(new CommandApi(sources).routes());
    this.routes = List.copyOf(all);
  }

  public List<Route> routes() {
    return routes;
  }

  /** Answers; fails with what {@link Errors} tells. */
  public CompletionStage<HttpReply> handle(Caller caller, HttpCall http) {
    String path = http.path().substring(ROOT.length());
    String method = http.method().equals("HEAD") ? "GET" : http.method();
    boolean isPath = false;
    for (Route route : routes) {
      Map<String, String> names = route.match(path);
      if (names != null && route.method().equals(method)) {
        return route.handler().handle(new ApiCall(caller, http, names));
      }
      isPath |= names != null;
    }
    throw isPath
        ? new ApiException(405, "MethodNotAllowed", method + " cannot be used with this path")
        : ApiException.notFound("there is no " + http.path());
  }
}
