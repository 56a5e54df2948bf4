package dev.orrery.server.console.http;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request before its body.
 *
 * @param path decoded, without the query
 * @param query decoded; the first value of each name
 * @param headers by name in lower case; the first value of each
 * @param isSecure whether it came over TLS
 */
public record HttpHead(
    String method,
    String path,
    Map<String, String> query,
    Map<String, String> headers,
    InetSocketAddress remote,
    InetSocketAddress local,
    boolean isSecure) {
  private static final List<String> SAFE = List.of("GET", "HEAD");

  /** The header, or null. */
  public @Nullable String header(String name) {
    return headers.get(name.toLowerCase(Locale.ROOT));
  }

  /** Whether it only asks. */
  public boolean isSafe() {
    return SAFE.contains(method);
  }

  /** The cookie of that name, or null. */
  public @Nullable String cookie(String name) {
    String all = header("cookie");
    if (all == null) {
      return null;
    }
    for (String pair : all.split(";")) {
      int equals = pair.indexOf('=');
      if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
        return pair.substring(equals + 1).strip();
      }
    }
    return null;
  }
}
