package dev.orrery.server.transfer.replay;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What came of a replay. Thread-safe. */
public final class ReplayResult {
  private long sent;
  private long passedOver;
  private long refused;
  private long latestNanos;
  private final Map<Integer, Long> failures = new TreeMap<>();

  synchronized void sent(long lateNanos) {
    sent++;
    latestNanos = Math.max(latestNanos, lateNanos);
  }

  /** Counts a request that could not be sent, or should not. */
  synchronized void passedOver() {
    passedOver++;
  }

  synchronized void failed(int code) {
    if (code == Replay.TOO_MANY_REQUESTS) {
      refused++;
    } else {
      failures.merge(code, 1L, Long::sum);
    }
  }

  /** How many requests were sent. */
  public synchronized long sent() {
    return sent;
  }

  /** How many were not: refused when they were recorded, or parts of what is not there. */
  public synchronized long skipped() {
    return passedOver;
  }

  /** How many requests, or statements of them, were refused for want of request units. */
  public synchronized long refused() {
    return refused;
  }

  /** How often requests, or statements of them, failed otherwise, by the code of the error. */
  public synchronized Map<Integer, Long> failures() {
    return new TreeMap<>(failures);
  }

  /** By how much the latest request was late. */
  public synchronized double latestSeconds() {
    return latestNanos / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
