package dev.orrery.language.limit;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one request holds of the budget, or one cursor from its first request to its last. Closing
 * it gives everything back, whatever became of those who took it. Safe for use by several threads.
 */
public final class MemoryAccount implements Allowance.Memory, AutoCloseable {
  private static final long MUCH_BYTES = 1 << 20;
  private static final long PITTANCES_BYTES_MAX = 16 << 10;

  /** How soon somebody who waits for memory looks again. */
  private static final long LOOK_MILLIS = 5;

  /** How long it waits: it has a thread that others need, who ask for less. */
  private static final long PATIENCE_NANOS = 8_000_000_000L;

  private final MemoryBudget budget;
  private final List<Resting> resting = new ArrayList<>(0);
  private long held;
  private long pittances;
  private long atRest;
  private long keptBefore;
  private boolean isClosed;

  MemoryAccount(MemoryBudget budget) {
    this.budget = budget;
  }

  /** For work that no request asked for. */
  public static MemoryAccount unlimited() {
    return MemoryBudget.unlimited().open();
  }

  @Override
  public synchronized boolean tryHold(long bytes) {
    if (isClosed) {
      return true; // somebody who works on for a request that has ended
    }
    if (!budget.tryTake(MemoryBudget.Use.OPERATIONS, bytes, held)) {
      if (held + bytes > budget.freeBytes() && !isPittance(bytes)) {
        return false;
      }
      budget.take(MemoryBudget.Use.OPERATIONS, bytes);
    }
    held += bytes;
    return true;
  }

  /** Whoever was let in with much must not fail for the little that surrounds it. */
  private boolean isPittance(long bytes) {
    if (held <= MUCH_BYTES || pittances + bytes > PITTANCES_BYTES_MAX) {
      return false;
    }
    pittances += bytes;
    return true;
  }

  @Override
  public void hold(long bytes) {
    if (!tryHold(bytes)) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "the operation holds "
              + heldBytes()
              + " bytes and needs "
              + bytes
              + " more, but the server's memory budget of "
              + budget.bytesMax()
              + " bytes does not allow it");
    }
  }

  /**
   * Holds so much as soon as there is so much. One at a time need not wait, whatever the others
   * hold, so that they cannot wait for one another for ever; which is why whoever waits had better
   * hold little. Throws on threads that must not wait, unless there is room at once, and as {@link
   * #hold} does when there is none for long.
   *
   * @param check throws when nobody waits any more
   */
  @Override
  public void await(long bytes, Runnable check) {
    if (tryHold(bytes)) {
      return;
    }
    Lane.requireMayWait();
    long start = System.nanoTime();
    while (!tryHold(bytes) && !tryOverdraw(bytes)) {
      check.run();
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        hold(bytes);
        return;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        throw new CommandException(ErrorCode.INTERRUPTED_AT_SHUTDOWN, "interrupted at shutdown");
      }
    }
  }

  /** The same for somebody who comes back later rather than wait; false when there is no room. */
  public boolean tryAwait(long bytes) {
    return tryHold(bytes) || tryOverdraw(bytes);
  }

  private synchronized boolean tryOverdraw(long bytes) {
    if (isClosed || !budget.mayOverdraw(this)) {
      return isClosed;
    }
    budget.take(MemoryBudget.Use.OPERATIONS, bytes);
    held += bytes;
    return true;
  }

  @Override
  public synchronized void release(long bytes) {
    if (!isClosed && bytes != 0) {
      held -= bytes;
      pittances = Math.max(0, pittances - bytes);
      if (held <= budget.freeBytes()) {
        budget.endOverdraw(this);
      }
      budget.give(MemoryBudget.Use.OPERATIONS, bytes);
    }
  }

  public synchronized long heldBytes() {
    return held;
  }

  /** From now on it is asked to do with less when the cursor rests. */
  public synchronized void add(Resting holder) {
    resting.add(holder);
  }

  public synchronized void remove(Resting holder) {
    resting.remove(holder);
  }

  /**
   * Nobody reads the cursor until {@link #wake}: what it has in memory may have to go to disk.
   *
   * @throws CommandException if too much is left that cannot, such as a large filter
   */
  public void rest() {
    List<Resting> holders;
    boolean mayKeep;
    synchronized (this) {
      if (isClosed || atRest != 0) {
        return;
      }
      holders = List.copyOf(resting);
    }
    holders.forEach(Resting::count);
    synchronized (this) {
      if (isClosed) {
        return;
      }
      budget.endOverdraw(this); // others shall not wait for a client to come back
      mayKeep = budget.tryRest(held);
      atRest = mayKeep ? held : 0;
    }
    holders.forEach(holder -> holder.rest(!mayKeep));
    synchronized (this) {
      if (!mayKeep && !isClosed) {
        requireRest();
        atRest = held;
      }
      keptBefore = Math.max(keptBefore, atRest);
    }
  }

  /** Whoever was let in once may come back, whoever came meanwhile. */
  private void requireRest() {
    if (!budget.tryRestAll(held, keptBefore)) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "an open cursor would keep "
              + held
              + " bytes that cannot go to disk, but with what other idle cursors keep the server's"
              + " memory budget of "
              + budget.bytesMax()
              + " bytes does not allow it; a larger batch may leave no cursor open");
    }
  }

  /** Somebody reads the cursor again. */
  public synchronized void wake() {
    budget.wake(atRest);
    atRest = 0;
  }

  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      wake();
      budget.endOverdraw(this);
      budget.give(MemoryBudget.Use.OPERATIONS, held);
      held = 0;
      resting.clear();
    }
  }
}
