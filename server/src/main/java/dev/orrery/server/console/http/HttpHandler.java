package dev.orrery.server.console.http;

import java.util.concurrent.CompletionStage;

/** Answers requests. Called on threads that may compute for a while; what waits is a stage. */
public interface HttpHandler {
  /**
   * How long the body may be, by what stands before it; a longer one is refused. Called on the
   * event loop, so it must be quick.
   */
  int bodyBytesMax(HttpHead head);

  CompletionStage<HttpReply> handle(HttpCall call);
}
