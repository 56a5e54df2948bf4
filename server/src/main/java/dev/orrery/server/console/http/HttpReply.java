package dev.orrery.server.console.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What a request is answered with: bytes, or a stream of them whose length nobody knows.
 *
 * @param stream null when the body is all there is
 */
public record HttpReply(
    int status, Map<String, String> headers, byte[] body, @Nullable Stream stream) {
  public static final String JSON = "application/json; charset=utf-8";
  public static final String TEXT = "text/plain; charset=utf-8";

  public HttpReply {
    headers = Map.copyOf(headers);
  }

  /** A long body, part by part. One part is asked for at a time. */
  public interface Stream extends AutoCloseable {
    /**
     * The next part; null at the end. A failure cuts the connection, so that nobody sees an end.
     */
    CompletionStage<byte @Nullable []> next();

    /** The body has been sent, or nobody wants it any more. */
    @Override
    void close();
  }

  public static HttpReply of(int status, String contentType, byte[] body) {
    return new HttpReply(status, Map.of("content-type", contentType), body, null);
  }

  public static HttpReply text(int status, String text) {
    return of(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  public static HttpReply json(int status, String json) {
    return of(status, JSON, json.getBytes(StandardCharsets.UTF_8));
  }

  /** No content. */
  public static HttpReply empty(int status) {
    return new HttpReply(status, Map.of(), new byte[0], null);
  }

  public static HttpReply streamed(String contentType, Stream stream) {
    return new HttpReply(200, Map.of("content-type", contentType), new byte[0], stream);
  }

  public HttpReply with(String header, String value) {
    var all = new LinkedHashMap<>(headers);
    all.put(header, value);
    return new HttpReply(status, all, body, stream);
  }
}
