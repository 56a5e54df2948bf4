package dev.orrery.storage;

import java.time.Clock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Cluster times: seconds in the upper half, a counter within the second in the lower. They never
 * run backwards, whatever the wall clock does, and every group of the log has a time of its own.
 */
public final class CommitClock {
  private final Clock clock;
  private final AtomicLong latest;

  public CommitClock(Clock clock) {
    this.clock = clock;
    this.latest = new AtomicLong(wallTime());
  }

  /** A new time, later than every time before. */
  public long tick() {
    long wallTime = wallTime();
    return latest.updateAndGet(last -> Math.max(last + 1, wallTime));
  }

  /** The latest time that was given. */
  public long now() {
    return latest.get();
  }

  /** Gives no time up to this one any more. */
  public void advanceTo(long time) {
    latest.accumulateAndGet(time, Math::max);
  }

  private long wallTime() {
    return (clock.millis() / 1000) << 32 | 1;
  }
}
