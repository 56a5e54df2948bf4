package dev.orrery.server.throughput;

import java.util.function.BooleanSupplier;

/**
 * What one physical partition may spend. The balance refills evenly, up to one second's worth (or
 * more with burst capacity). Requests are admitted while it is positive and are charged afterwards,
 * so a single expensive request succeeds and leaves a debt that later ones wait for. Thread-safe.
 */
public final class Budget {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Burst capacity is for small partitions, and is spent at this rate at most. */
  private static final long BURST_RATE = 3_000;

  private static final long BURST_SECONDS = 300;

  private final BooleanSupplier hasBurst;
  private long unitsPerSecond;
  private double balance;
  private double saved;
  private long seenNanos;

  /**
   * @param unitsPerSecond request units per second; the first second's worth is there at once
   */
  public Budget(long unitsPerSecond, BooleanSupplier hasBurst, long nowNanos) {
    this.unitsPerSecond = unitsPerSecond;
    this.hasBurst = hasBurst;
    this.balance = capacity();
    this.seenNanos = nowNanos;
  }

  private double capacity() {
    return (double) unitsPerSecond * RequestCharge.UNIT;
  }

  /** Changes the rate; what was saved or owed stays, cut to the new second's worth. */
  public synchronized void setRate(long newUnitsPerSecond, long nowNanos) {
    refill(nowNanos);
    unitsPerSecond = newUnitsPerSecond;
    balance = Math.min(balance, capacity());
  }

  /**
   * Whether a request may run now: 0 if so, else in how many milliseconds to try again. A refused
   * request costs nothing.
   */
  public synchronized long millisToWait(long nowNanos) {
    refill(nowNanos);
    if (balance > 0) {
      return 0;
    }
    double nanos = (-balance + 1) * NANOS_PER_SECOND / rateNow();
    return Math.max(1, (long) Math.ceil(nanos / NANOS_PER_MILLI));
  }

  /** Takes the price of a request that ran; the balance may become negative. */
  public synchronized void charge(RequestCharge charge, long nowNanos) {
    refill(nowNanos);
    balance -= charge.twentyFirsts();
  }

  /** Request units per second. */
  synchronized long rate() {
    return unitsPerSecond;
  }

  /** Request units that are there to be spent; negative when in debt. */
  public synchronized double balance(long nowNanos) {
    refill(nowNanos);
    return balance / RequestCharge.UNIT;
  }

  /** Begins with that many request units instead of a second's worth, if that is less. */
  synchronized void setBalance(double units) {
    balance = Math.min(units * RequestCharge.UNIT, capacity());
  }

  private double rateNow() {
    return capacity() + (saved > 0 ? burstPerSecond() : 0);
  }

  /** How much of what was saved may be added in a second. */
  private double burstPerSecond() {
    return Math.max(0, (BURST_RATE - unitsPerSecond) * (double) RequestCharge.UNIT);
  }

  private boolean canBurst() {
    return unitsPerSecond < BURST_RATE && hasBurst.getAsBoolean();
  }

  private void refill(long nowNanos) {
    double seconds = Math.max(0, nowNanos - seenNanos) / (double) NANOS_PER_SECOND;
    seenNanos = Math.max(seenNanos, nowNanos);
    balance += seconds * capacity();
    if (canBurst() && balance < capacity()) {
      double used = Math.min(saved, Math.min(seconds * burstPerSecond(), capacity() - balance));
      balance += used;
      saved -= used;
    }
    if (balance > capacity()) {
      if (canBurst()) {
        saved = Math.min(saved + balance - capacity(), BURST_SECONDS * capacity());
      }
      balance = capacity();
    }
  }
}
