package dev.orrery.server.command.data;

import dev.orrery.language.update.UpdateClock;
import dev.orrery.server.session.ClusterClock;
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
