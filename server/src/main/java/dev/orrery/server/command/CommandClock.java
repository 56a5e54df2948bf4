package dev.orrery.server.command;

import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.update.UpdateClock;
import java.time.Clock;
import org.bson.BsonTimestamp;

/** The server's time for documents that ask for it. */
final class CommandClock implements UpdateClock {
  private final Clock clock;
  private final ClusterClock clusterClock;

  CommandClock(DataServices services) {
    this.clock = services.clock();
    this.clusterClock = services.clusterClock();
  }

  @Override
  public long nowMillis() {
    return clock.millis();
  }

  @Override
  public BsonTimestamp nextTimestamp() {
    return clusterClock.tick();
  }
}
