package dev.orrery.storage.log;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.random.RandomGenerator;

/**
 * How a log is kept.
 *
 * @param segmentBytes nominal size of a segment file; one larger group gets a larger segment
 * @param fsync whether durability means the device; without it everything appended counts as
 *     durable
 * @param flushMillis how long an appended group that nobody waits for may stay out of the device
 * @param clock stamps groups and segments
 * @param random salts the checksums of each segment
 */
public record LogOptions(
    int segmentBytes, boolean fsync, long flushMillis, Clock clock, RandomGenerator random) {

  public static final int SEGMENT_BYTES_MIN = 4 << 10;
  public static final int SEGMENT_BYTES_MAX = 1 << 30;

  public LogOptions {
    if (segmentBytes < SEGMENT_BYTES_MIN || segmentBytes > SEGMENT_BYTES_MAX) {
      throw new IllegalArgumentException("segmentBytes out of range: " + segmentBytes);
    }
    if (flushMillis < 1) {
      throw new IllegalArgumentException("flushMillis must be positive: " + flushMillis);
    }
  }

  public static LogOptions defaults() {
    return new LogOptions(64 << 20, true, 100, Clock.systemUTC(), new SecureRandom());
  }

  public LogOptions withSegmentBytes(int bytes) {
    return new LogOptions(bytes, fsync, flushMillis, clock, random);
  }

  public LogOptions withFsync(boolean on) {
    return new LogOptions(segmentBytes, on, flushMillis, clock, random);
  }

  public LogOptions withFlushMillis(long millis) {
    return new LogOptions(segmentBytes, fsync, millis, clock, random);
  }

  public LogOptions withClock(Clock other) {
    return new LogOptions(segmentBytes, fsync, flushMillis, other, random);
  }
}
