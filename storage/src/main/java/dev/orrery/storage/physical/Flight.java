package dev.orrery.storage.physical;

import dev.orrery.lane.Lane;
import java.util.concurrent.locks.LockSupport;

/**
 * A commit of several changes between the log and its readers: what it brings is in the structures
 * bit by bit, and is to be seen in one step, over all its partitions. Whoever meets a part of it
 * before waits for the rest, which takes no I/O.
 */
public final class Flight {
  private static final int SPINS = 200;
  private static final long STEP_NANOS = 20_000;
  private static final int LOOP_STEPS = 50;

  private final long lsn;
  private volatile boolean isLanded;

  public Flight(long lsn) {
    this.lsn = lsn;
  }

  /** Whether a version is not to be seen yet. */
  boolean hides(long versionLsn) {
    return versionLsn == lsn && !isLanded;
  }

  boolean isLanded() {
    return isLanded;
  }

  /** Shows all of it at once. */
  public void land() {
    isLanded = true;
  }

  /** Returns when all is to be seen. */
  void await() {
    for (int i = 0; i < SPINS && !isLanded; i++) {
      Thread.onSpinWait();
    }
    for (int i = 0; !isLanded; i++) {
      if (i == LOOP_STEPS) {
        Lane.requireMayWait();
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
  }
}
