package dev.orrery.server.console;

import dev.orrery.server.console.http.HttpCall;
import dev.orrery.server.console.http.HttpHead;
import dev.orrery.server.console.http.HttpReply;
import java.util.concurrent.CompletionStage;

/** What the console shows once the server serves: everything but its health. */
public interface Pages {
  /** How long the body of such a request may be. */
  int bodyBytesMax(HttpHead head);

  CompletionStage<HttpReply> handle(HttpCall call);
}
