package dev.orrery.server;

import dev.orrery.server.command.diagnostic.RecentLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process that a server lives in, as far as the server may end it. */
@FunctionalInterface
interface Host {
  /** Stops the server in order; returns at once. */
  void stop();

  /**
   * Copies what this process logs to the log that {@code getLog} shows; returns what ends that. A
   * host that logs in ways of its own copies nothing.
   */
  default Runnable followLog(RecentLog log) {
    return () -> {};
  }

  /**
   * A part of the server has ended without which it is only half alive: it refuses writes, and only
   * a new start helps. Must not block; may be called on any thread and with no memory left.
   */
  default void failed(String part, Throwable cause) {
    Logger log = LoggerFactory.getLogger(Host.class);
    log.error("{} ended: the server has to be started again", part, cause);
  }
}
