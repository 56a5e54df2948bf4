package dev.orrery.server.console.http;

import java.nio.charset.StandardCharsets;

/** A whole request. */
public record HttpCall(HttpHead head, byte[] body) {
  public String method() {
    return head.method();
  }

  public String path() {
    return head.path();
  }

  /** The body as text. */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }
}
