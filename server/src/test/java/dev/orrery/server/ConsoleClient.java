package dev.orrery.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.bson.BsonDocument;

/** Asks a console as a program does. */
final class ConsoleClient {
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();
  private final URI console;
  private final String login;

  /**
   * @param login empty, or {@code user:password}
   */
  ConsoleClient(URI console, String login) {
    this.console = console;
    this.login = login;
  }

  HttpResponse<String> get(String path, String... headers) throws IOException {
    return send(request(path, headers).GET());
  }

  /** As the console's own pages do. */
  HttpResponse<String> post(String path, String body) throws IOException {
    return send(
        request(path, "X-Orrery-Console", "1").POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(console.resolve(path)).timeout(Duration.ofSeconds(30));
    if (!login.isEmpty()) {
      byte[] bytes = login.getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
    }
    return headers.length == 0 ? request : request.headers(headers);
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  BsonDocument json(String path) throws IOException {
    return BsonDocument.parse(get(path).body());
  }
}
