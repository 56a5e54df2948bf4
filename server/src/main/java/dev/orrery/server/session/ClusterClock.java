package dev.orrery.server.session;

import dev.orrery.storage.CommitClock;
import java.time.Clock;
import org.bson.BsonTimestamp;

/**
 * The cluster time as clients know it. Every commit takes a new time, from the same clock; replies
 * and causally consistent reads refer to it.
 */
public final class ClusterClock {
  private final CommitClock times;

  /** Of a server that stores nothing. */
  public ClusterClock(Clock clock) {
    this(new CommitClock(clock));
  }

  /** Of a server whose engine has this clock. */
  public ClusterClock(CommitClock times) {
    this.times = times;
  }

  /** A new time, later than every time before. */
  public BsonTimestamp tick() {
    return new BsonTimestamp(times.tick());
  }

  /** The latest time that was given. */
  public BsonTimestamp now() {
    return new BsonTimestamp(times.now());
  }

  /** Whether that is still the latest time. */
  public boolean isAt(long time) {
    return times.now() == time;
  }
}
