package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** When a command must be done, by {@code maxTimeMS}. */
public final class Deadline {
  private final LongSupplier nanoClock;
  private final long endNanos;
  private final boolean isUnlimited;

  private Deadline(LongSupplier nanoClock, long endNanos, boolean isUnlimited) {
    this.nanoClock = nanoClock;
    this.endNanos = endNanos;
    this.isUnlimited = isUnlimited;
  }

  /** No deadline when {@code maxTimeMillis} is 0, as in MongoDB. */
  static Deadline after(long maxTimeMillis, LongSupplier nanoClock) {
    if (maxTimeMillis == 0) {
      return new Deadline(nanoClock, 0, true);
    }
    long end = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(maxTimeMillis);
    return new Deadline(nanoClock, end, false);
  }

  /** What was left of an earlier deadline; see {@link #remainingNanos}. */
  Deadline goingOn(long nanosLeft) {
    boolean isForEver = nanosLeft == Long.MAX_VALUE;
    return isForEver ? this : new Deadline(nanoClock, nanoClock.getAsLong() + nanosLeft, false);
  }

  public boolean isUnlimited() {
    return isUnlimited;
  }

  /** Throws MaxTimeMSExpired when time is up; long work calls it now and then. */
  public void check() {
    if (!isUnlimited && remainingNanos() <= 0) {
      throw new CommandException(ErrorCode.MAX_TIME_MS_EXPIRED, "operation exceeded time limit");
    }
  }

  /** What is left, or a very long time without a deadline. */
  public long remainingNanos() {
    return isUnlimited ? Long.MAX_VALUE : endNanos - nanoClock.getAsLong();
  }
}
