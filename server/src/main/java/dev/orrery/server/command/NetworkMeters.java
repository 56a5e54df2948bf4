package dev.orrery.server.command;

import java.util.concurrent.atomic.LongAdder;

/** What went over the network since the start, before compression. */
public final class NetworkMeters {
  private final LongAdder opened = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private final LongAdder requests = new LongAdder();
  private final LongAdder bytesIn = new LongAdder();
  private final LongAdder bytesOut = new LongAdder();

  /** A connection was opened. */
  public void opened() {
    opened.increment();
  }

  /** A connection was closed. */
  public void closed() {
    closed.increment();
  }

  /** A request came in. */
  public void received(long bytes) {
    requests.increment();
    bytesIn.add(bytes);
  }

  /** A reply went out. */
  public void sent(long bytes) {
    bytesOut.add(bytes);
  }

  long connections() {
    return opened.sum() - closed.sum();
  }

  long connectionsCreated() {
    return opened.sum();
  }

  long requests() {
    return requests.sum();
  }

  long bytesIn() {
    return bytesIn.sum();
  }

  long bytesOut() {
    return bytesOut.sum();
  }
}
