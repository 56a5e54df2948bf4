package dev.orrery.server.console.api;

import dev.orrery.server.console.http.HttpReply;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be asked for.
 *
 * @param template a path with names for what differs: {@code /collections/{database}/{collection}}
 */
public record Route(String method, String template, Handler handler) {
  /** Answers. */
  @FunctionalInterface
  public interface Handler {
    CompletionStage<HttpReply> handle(ApiCall call);
  }

  static Route get(String template, Handler handler) {
    return new Route("GET", template, handler);
  }

  /** For what is known at once. */
  static Handler now(java.util.function.Function<ApiCall, HttpReply> answer) {
    return call -> CompletableFuture.completedFuture(answer.apply(call));
  }

  /** What stands in the places of the names; null when the path is another. */
  @Nullable Map<String, String> match(String path) {
    String[] wanted = template.split("/", -1);
    String[] given = path.split("/", -1);
    if (wanted.length != given.length) {
      return null;
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < wanted.length; i++) {
      if (wanted[i].startsWith("{")) {
        names.put(wanted[i].substring(1, wanted[i].length() - 1), given[i]);
      } else if (!wanted[i].equals(given[i])) {
        return null;
      }
    }
    return names;
  }
}
