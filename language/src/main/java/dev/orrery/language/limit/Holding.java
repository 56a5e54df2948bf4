package dev.orrery.language.limit;

/**
 * What one buffer holds of an account. It takes steps of some size, so that a buffer that grows by
 * small documents asks seldom. Used by one thread at a time.
 */
public final class Holding implements AutoCloseable {
  private static final long STEP_BYTES = 64 << 10;

  private final MemoryAccount account;
  private long held;
  private long granted;

  public Holding(MemoryAccount account) {
    this.account = account;
  }

  /**
   * Counts so much more, or less if it is negative; false when the account has not so much. It is
   * counted all the same: the caller has it in its hands, and lets go of it now or fails.
   */
  public boolean grow(long bytes) {
    held += bytes;
    if (held > granted) {
      return ask();
    }
    if (granted - held > 2 * STEP_BYTES) {
      long kept = steps(held);
      account.release(granted - kept);
      granted = kept;
    }
    return true;
  }

  private boolean ask() {
    long wanted = steps(held);
    if (account.tryHold(wanted - granted)) {
      granted = wanted;
      return true;
    }
    return false;
  }

  private static long steps(long bytes) {
    return (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
  }

  public long bytes() {
    return held;
  }

  /** Lets go of everything; it may grow again. */
  public void clear() {
    account.release(granted);
    held = 0;
    granted = 0;
  }

  @Override
  public void close() {
    clear();
  }
}
