package dev.orrery.server.limit;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * What one request holds of the budget, or one cursor from its first request to its last. Closing
 * it gives everything back, whatever became of those who took it. Safe for use by several threads.
 */
public final class MemoryAccount implements Allowance.Memory, AutoCloseable {
  /** What everyone may hold, also when nothing is left. */
  static final long FREE_BYTES = 1 << 20;

  private final MemoryBudget budget;
  private final List<Resting> resting = new ArrayList<>(0);
  private long held;
  private long atRest;
  private boolean isClosed;

  MemoryAccount(MemoryBudget budget) {
    this.budget = budget;
  }

  /** For work that no request asked for. */
  public static MemoryAccount unlimited() {
    return MemoryBudget.unlimited().open();
  }

  /** Adds to what is held; false, and nothing is added, when there is not so much. */
  public synchronized boolean tryHold(long bytes) {
    if (isClosed) {
      return true; // somebody who works on for a request that has ended
    }
    if (!budget.tryTake(MemoryBudget.Use.OPERATIONS, bytes, held)) {
      if (held + bytes > FREE_BYTES) {
        return false;
      }
      budget.take(MemoryBudget.Use.OPERATIONS, bytes);
    }
    held += bytes;
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

  @Override
  public synchronized void release(long bytes) {
    if (!isClosed && bytes != 0) {
      held -= bytes;
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

  /** Nobody reads the cursor until {@link #wake}: what it has in memory may have to go to disk. */
  public void rest() {
    List<Resting> holders;
    boolean mayKeep;
    synchronized (this) {
      if (isClosed || atRest != 0) {
        return;
      }
      holders = List.copyOf(resting);
      mayKeep = budget.tryRest(held);
      atRest = mayKeep ? held : 0;
    }
    holders.forEach(holder -> holder.rest(!mayKeep));
    synchronized (this) {
      if (!mayKeep && !isClosed) {
        atRest = held;
        budget.rest(held);
      }
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
      budget.give(MemoryBudget.Use.OPERATIONS, held);
      held = 0;
      resting.clear();
    }
  }
}
