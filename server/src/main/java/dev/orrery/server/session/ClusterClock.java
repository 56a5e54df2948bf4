package dev.orrery.server.session;

import java.time.Clock;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonTimestamp;

/**
 * The cluster time: seconds and a counter within the second, which never runs backwards. Every
 * write takes a new time; replies and causally consistent reads refer to it.
 */
public final class ClusterClock {
  private final Clock clock;
  private final AtomicLong latest;

  public ClusterClock(Clock clock) {
    this.clock = clock;
    this.latest = new AtomicLong(wallTime());
  }

  /** A new time, later than every time before. */
  public BsonTimestamp tick() {
    long wallTime = wallTime();
    return new BsonTimestamp(latest.updateAndGet(last -> Math.max(last + 1, wallTime)));
  }

  /** The latest time that was given. */
  public BsonTimestamp now() {
    return new BsonTimestamp(latest.get());
  }

  /** Whether that is still the latest time. */
  public boolean isAt(long time) {
    return latest.get() == time;
  }

  private long wallTime() {
    return (clock.millis() / 1000) << 32 | 1;
  }
}
