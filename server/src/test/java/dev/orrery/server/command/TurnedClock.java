package dev.orrery.server.command;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that shows what a test has counted: so many nanoseconds after the beginning of 2026. */
final class TurnedClock extends Clock {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final AtomicLong nanos;

  TurnedClock(AtomicLong nanos) {
    this.nanos = nanos;
  }

  @Override
  public Instant instant() {
    return START.plusNanos(nanos.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
