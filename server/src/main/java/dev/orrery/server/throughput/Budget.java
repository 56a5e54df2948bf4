package dev.orrery.server.throughput;

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

  private final boolean hasBurst;
  private long unitsPerSecond;
  private double balance;
  private double saved;
  private long seenNanos;

  /**
   * @param unitsPerSecond request units per second; the first second's worth is there at once
   */
  public Budget(long unitsPerSecond, boolean hasBurst, long nowNanos) {
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

  /** Request units that are there to be spent; negative when in debt. */
  public synchronized double balance(long nowNanos) {
    refill(nowNanos);
    return balance / RequestCharge.UNIT;
  }

  private double rateNow() {
    return capacity() + (saved > 0 ? burstPerSecond() : 0);
  }

  /** How much of what was saved may be added in a second. */
  private double burstPerSecond() {
    return Math.max(0, (BURST_RATE - unitsPerSecond) * (double) RequestCharge.UNIT);
  }

  private void refill(long nowNanos) {
    double seconds = Math.max(0, nowNanos - seenNanos) / (double) NANOS_PER_SECOND;
    seenNanos = Math.max(seenNanos, nowNanos);
    balance += seconds * capacity();
    if (hasBurst && unitsPerSecond < BURST_RATE && balance < capacity()) {
      double used = Math.min(saved, Math.min(seconds * burstPerSecond(), capacity() - balance));
      balance += used;
      saved -= used;
    }
    if (balance > capacity()) {
      if (hasBurst && unitsPerSecond < BURST_RATE) {
        saved = Math.min(saved + balance - capacity(), BURST_SECONDS * capacity());
      }
      balance = capacity();
    }
  }
}
