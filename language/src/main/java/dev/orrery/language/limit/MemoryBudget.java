package dev.orrery.language.limit;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/*
 * How it is divided. Whoever wants more gets it as long as it then holds no more than is left for
 * all others. So one alone may have half of it, eight greedy ones a ninth each, and there is always
 * as much left as the largest of them has: a small one that comes late is not refused for what the
 * large ones hold, and nobody has to be told to give anything back. Everyone may hold a little
 * without asking, or small runs would make a sort crawl; those who work at the same time are few.
 *
 * What is counted is an estimate, and not all that takes memory is counted. Therefore the budget is
 * a third of the heap that the engine itself leaves, and not all of it.
 */

/**
 * The heap that requests may take together: for what they sort, group and build, for what idle
 * cursors keep, for messages that arrive and replies that leave. Safe for use by several threads.
 */
public final class MemoryBudget {
  /** What the budget is for. */
  public enum Use {
    /** What requests at work hold, and open cursors. */
    OPERATIONS,
    /** Messages that are arriving or being worked on. */
    MESSAGES,
    /** Replies that wait for their clients to take them. */
    REPLIES
  }

  private static final int HEAP_SHARE = 3;
  private static final int HEAP_SHARE_MIN = 8;
  private static final int RESTING_SHARE = 4;
  private static final int RESTING_SHARE_OF_ALL = 2;

  /** What every idle cursor may keep, or keep more than at its beginning. */
  private static final long RESTING_FREE_BYTES = 128 << 10;

  private static final int WAITING_REPLIES_SHARE = 2;

  /** What the engine has on the heap when it serves nobody, and the collector's room for it. */
  private static final long ENGINE_BYTES = 32 << 20;

  /** What everyone may hold, also when nothing is left: no more than that, and such a part. */
  private static final long FREE_BYTES_MAX = 1 << 20;

  private static final int FREE_SHARE = 64;

  /** As good as endless, and still far from an overflow. */
  private static final long NO_LIMIT = Long.MAX_VALUE / 4;

  private final long bytesMax;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong most = new AtomicLong();
  private final AtomicLong resting = new AtomicLong();
  private final AtomicLong[] uses = new AtomicLong[Use.values().length];
  private final LongAdder refusals = new LongAdder();
  private final AtomicReference<MemoryAccount> overdrawn = new AtomicReference<>();

  public MemoryBudget(long bytesMax) {
    this.bytesMax = bytesMax;
    for (int i = 0; i < uses.length; i++) {
      uses[i] = new AtomicLong();
    }
  }

  /** A third of the heap that the process may have beside what it needs for itself. */
  public static MemoryBudget ofHeap() {
    return new MemoryBudget(partOf(Runtime.getRuntime().maxMemory()));
  }

  static long partOf(long heap) {
    return Math.max(heap / HEAP_SHARE_MIN, (heap - ENGINE_BYTES) / HEAP_SHARE);
  }

  /** Counts, and refuses nothing. */
  public static MemoryBudget unlimited() {
    return new MemoryBudget(NO_LIMIT);
  }

  /** For one request, or one cursor. */
  public MemoryAccount open() {
    return new MemoryAccount(this);
  }

  /**
   * Takes so much, unless the taker would then hold more than is left for all others.
   *
   * @param held what the taker holds already
   */
  public boolean tryTake(Use use, long bytes, long held) {
    for (; ; ) {
      long before = used.get();
      long after = before + bytes;
      if (held + bytes > bytesMax - after) {
        refusals.increment();
        return false;
      }
      if (used.compareAndSet(before, after)) {
        count(use, bytes, after);
        return true;
      }
    }
  }

  /** Takes so much, whether it is there or not; others will be refused the sooner. */
  public void take(Use use, long bytes) {
    count(use, bytes, used.addAndGet(bytes));
  }

  /** What an account may hold, also when nothing is left. */
  long freeBytes() {
    return Math.min(FREE_BYTES_MAX, bytesMax / FREE_SHARE);
  }

  /** Whether an account may take more than there is, as one at a time may that waits for it. */
  boolean mayOverdraw(MemoryAccount account) {
    if (usedBytes(Use.REPLIES) > bytesMax / WAITING_REPLIES_SHARE) {
      return false; // for clients that do not take them; they will be cut off
    }
    return overdrawn.get() == account || overdrawn.compareAndSet(null, account);
  }

  void endOverdraw(MemoryAccount account) {
    if (overdrawn.get() == account) {
      overdrawn.set(null);
    }
  }

  private void count(Use use, long bytes, long after) {
    uses[use.ordinal()].addAndGet(bytes);
    if (after > most.get()) {
      most.accumulateAndGet(after, Math::max);
    }
  }

  public void give(Use use, long bytes) {
    used.addAndGet(-bytes);
    uses[use.ordinal()].addAndGet(-bytes);
  }

  /** Lets a cursor keep so much while nobody reads it; false when it had better not. */
  boolean tryRest(long bytes) {
    return tryRest(bytes, bytesMax / RESTING_SHARE);
  }

  /**
   * The same for what cannot go to disk; false when there is no room for it at all.
   *
   * @param before what the cursor was let in with, 0 for a new one
   */
  boolean tryRestAll(long bytes, long before) {
    if (bytes <= before + RESTING_FREE_BYTES) {
      resting.addAndGet(bytes);
      return true;
    }
    return tryRest(bytes, bytesMax / RESTING_SHARE_OF_ALL);
  }

  private boolean tryRest(long bytes, long restingMax) {
    for (; ; ) {
      long before = resting.get();
      if (bytes > restingMax - before - bytes) {
        return false;
      }
      if (resting.compareAndSet(before, before + bytes)) {
        return true;
      }
    }
  }

  void wake(long bytes) {
    resting.addAndGet(-bytes);
  }

  public long bytesMax() {
    return bytesMax;
  }

  /** What is taken now. */
  public long usedBytes() {
    return used.get();
  }

  public long usedBytes(Use use) {
    return uses[use.ordinal()].get();
  }

  /** The most that was ever taken at a time. */
  public long mostBytes() {
    return most.get();
  }

  /** What idle cursors keep of it. */
  public long restingBytes() {
    return resting.get();
  }

  /** How often somebody was refused, and went to disk, waited or failed. */
  public long refusals() {
    return refusals.sum();
  }
}
