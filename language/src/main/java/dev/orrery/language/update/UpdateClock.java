package dev.orrery.language.update;

import org.bson.BsonTimestamp;

/**
 * The time for {@code $currentDate}, and for timestamps that a replacement leaves to the server.
 */
public interface UpdateClock {
  long nowMillis();

  /** A timestamp later than all before. */
  BsonTimestamp nextTimestamp();
}
