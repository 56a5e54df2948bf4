package dev.orrery.server.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** The description of the API is complete, and tells of nothing else. */
final class OpenApiTest {
  /** Answered before anybody is known. */
  private static final Set<String> LOGIN =
      Set.of("POST /login/start", "POST /login/proceed", "GET /session", "DELETE /session");

  @Test
  void everyRouteIsDescribedAndNoOther() throws Exception {
    var described = new TreeSet<String>();
    try (InputStream in = getClass().getResourceAsStream("/console/openapi.json")) {
      BsonDocument.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .getDocument("paths")
          .forEach(
              (path, methods) ->
                  methods
                      .asDocument()
                      .keySet()
                      .forEach(
                          method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path)));
    }
    var routes = new TreeSet<>(LOGIN);
    new Api(null).routes().forEach(route -> routes.add(route.method() + " " + route.template()));

    assertThat(described).isEqualTo(routes);
  }
}
