package dev.orrery.server.net;

import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.OpMsg;

/**
 * Where the reply to one request goes. Completed exactly once, by one of its methods, from any
 * thread; the next request of the connection waits for it.
 */
public interface ReplySink {
  /**
   * Sends the reply, in the dialect of the request. The bytes are copied when they are sent, so
   * they must not change afterwards. Dropped in silence if the sender wants no reply or has gone.
   */
  void reply(DocumentBytes document);

  /**
   * Sends a reply that another one follows without being asked for: the answer to {@code next}, as
   * if the client had sent it now.
   */
  default void replyAndGoOn(DocumentBytes document, OpMsg next) {
    reply(document);
  }

  /** The same for bytes that change once this returns. */
  default void replyShared(DocumentBytes document) {
    reply(DocumentBytes.of(document.copy()));
  }

  /** Closes the connection instead of sending a reply. */
  void hangUp();
}
