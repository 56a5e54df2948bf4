package dev.orrery.server.net;

import dev.orrery.wire.Message;

/**
 * Answers the requests of all connections. Of one connection it sees one request at a time, in the
 * order in which they were sent.
 */
public interface RequestHandler {
  /**
   * Answers one request, now or later: the sink may be completed before this returns, or at any
   * time after from any thread. Called on the connection's event loop, which serves many
   * connections: what may block or take long belongs on another thread.
   *
   * <p>An exception out of this method is a bug; it is logged, and the connection is closed.
   */
  void handle(Connection connection, Message request, ReplySink sink);

  /** Whether whoever is at the other end has logged in, or need not; asked on its event loop. */
  default boolean knows(Connection connection) {
    return true;
  }

  /** Called once when the server begins to stop: who waits for something to happen is to end. */
  default void stopping() {}

  /** Called before the first request of a connection, on its event loop. */
  default void opened(Connection connection) {}

  /** Called once after a connection was closed, on its event loop; a request may be under way. */
  default void closed(Connection connection) {}
}
