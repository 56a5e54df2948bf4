package dev.orrery.benchmarks.client;

import java.nio.ByteBuffer;

/** What a load sends. Called by one thread. */
public interface Traffic {
  /**
   * Puts the next message of a connection into an empty buffer of {@link #messageBytes()}; its
   * request id is set afterwards.
   *
   * @return the least number of bytes of a reply that answers it
   */
  int next(int connection, ByteBuffer message);

  /** The size of the largest message. */
  int messageBytes();
}
