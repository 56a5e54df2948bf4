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

  public long connections() {
    return opened.sum() - closed.sum();
  }

  public long connectionsCreated() {
    return opened.sum();
  }

  public long requests() {
    return requests.sum();
  }

  public long bytesIn() {
    return bytesIn.sum();
  }

  public long bytesOut() {
    return bytesOut.sum();
  }
}
