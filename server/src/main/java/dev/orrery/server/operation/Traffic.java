package dev.orrery.server.operation;

import java.util.concurrent.atomic.AtomicLongArray;

/** What became of the requests of one kind, and how long they took. Thread-safe. */
public final class Traffic {
  private final AtomicLongArray outcomes = new AtomicLongArray(Outcome.values().length);
  private final DurationCounts latency = new DurationCounts();

  void add(Outcome outcome, long nanos) {
    outcomes.getAndIncrement(outcome.ordinal());
    latency.add(nanos);
  }

  /** How many ended so since the start. */
  public long count(Outcome outcome) {
    return outcomes.get(outcome.ordinal());
  }

  /** How many ended. */
  public long total() {
    long sum = 0;
    for (int i = 0; i < outcomes.length(); i++) {
      sum += outcomes.get(i);
    }
    return sum;
  }

  public DurationCounts latency() {
    return latency;
  }
}
