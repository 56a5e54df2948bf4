package dev.orrery.storage.upkeep;

import java.util.function.BooleanSupplier;

/**
 * Keeps work in the background from taking the processor away from clients: full speed while the
 * server does little else, a small share of one processor while it is busy. For one worker, which
 * calls {@link #pause} after every short slice of its work.
 */
public final class Pace {
  /*
   * Busy is a matter of CPU time: what the threads of this process took lately, without the worker.
   * A number of requests would not do, as one reads a key and another a million documents; nor the
   * load of the machine, which not every container tells and which counts the worker itself. The
   * bound is low because the clients of a small machine are on it too: a driver takes ten times the
   * CPU that its requests cost the server, so at a tenth of a processor two are as good as taken.
   *
   * The share is kept by a bucket of CPU time that fills at that rate. It begins full, so that what
   * is short is done at once, and a slice that took long is followed by a long pause. What was done
   * at full speed is not held against the worker later.
   *
   * Who has to wait waits until it has saved up for some work. To fall asleep, wake up and read the
   * clocks takes CPU as well, so a worker that slept only until its debt was paid was in debt again
   * for the sleep itself: beside reads, four fifths of what it took went into sleeping.
   */

  /** Of one processor: a server whose other threads take more is busy. */
  static final double BUSY = 0.1;

  /** CPU time that is free at the beginning, and as much as can be saved up. */
  public static final long BURST_NANOS = 20_000_000;

  /** CPU time that is saved up by who has to wait. */
  static final long STRETCH_NANOS = 500_000;

  /** How often it is asked whether the server is busy: process times come in steps of 10 ms. */
  static final long LOOK_NANOS = 250_000_000;

  /** After which a worker that waits looks around again. */
  static final long SLEEP_NANOS_MAX = 50_000_000;

  private final Surroundings surroundings;
  private final double share;
  private double credit = BURST_NANOS;
  private boolean isBusy = true; // until it is known better
  private long lastNanos;
  private long lastOwnNanos;
  private long seenNanos;
  private long seenOthersNanos;

  /** What the worker can see, and how it waits. */
  public interface Surroundings {
    long nanos();

    /** The CPU time that this thread took. */
    long ownNanos();

    /** The CPU time that the whole process took. */
    long processNanos();

    void sleep(long nanos);
  }

  /**
   * To be called by the worker.
   *
   * @param share of one processor, for the worker, while the server is busy
   */
  Pace(Surroundings surroundings, double share) {
    this.surroundings = surroundings;
    this.share = share;
    lastNanos = surroundings.nanos();
    lastOwnNanos = surroundings.ownNanos();
    seenNanos = lastNanos;
    seenOthersNanos = surroundings.processNanos() - lastOwnNanos;
  }

  /**
   * Waits until the worker may go on.
   *
   * @param isUrgent whether it must go on anyway; asked again while it waits
   */
  void pause(BooleanSupplier isUrgent) {
    account();
    while (credit < 0 && isBusy && !isUrgent.getAsBoolean()) {
      surroundings.sleep(Math.min(SLEEP_NANOS_MAX, (long) ((STRETCH_NANOS - credit) / share)));
      account();
    }
    credit = Math.max(credit, 0);
  }

  private void account() {
    long now = surroundings.nanos();
    long own = surroundings.ownNanos();
    credit = Math.min(BURST_NANOS, credit + (now - lastNanos) * share);
    credit -= own - lastOwnNanos;
    lastNanos = now;
    lastOwnNanos = own;
    if (now - seenNanos >= LOOK_NANOS) {
      long others = surroundings.processNanos() - own;
      isBusy = others - seenOthersNanos > BUSY * (now - seenNanos);
      seenNanos = now;
      seenOthersNanos = others;
    }
  }
}
