package dev.orrery.server.session;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the changes of open transactions take of the server's memory. They cannot go to disk, and
 * are held for as long as clients like: so all together have half of the budget.
 */
final class TransactionMemory {
  private static final int SHARE = 2;

  /** One alone may have three quarters of that: others find some room in any case. */
  private static final double SHARE_OF_ONE = 0.75;

  private final MemoryBudget budget;
  private final AtomicLong held = new AtomicLong();

  TransactionMemory(MemoryBudget budget) {
    this.budget = budget;
  }

  /**
   * Lets the changes of a transaction grow.
   *
   * @throws CommandException for one that is too large by itself, or, with a code that asks for
   *     another attempt, when it is the others that hold too much
   */
  void hold(long before, long after) {
    long allMax = budget.bytesMax() / SHARE;
    long oneMax = (long) (allMax * SHARE_OF_ONE);
    if (after > oneMax) {
      throw new CommandException(
          ErrorCode.TRANSACTION_TOO_LARGE,
          "the changes of a transaction take %d bytes, more than the %d that are allowed; commit"
                  .formatted(after, oneMax)
              + " more often, or start the server with a larger heap");
    }
    long more = after - before;
    if (held.addAndGet(more) > allMax) {
      held.addAndGet(-more);
      throw new CommandException(
          ErrorCode.WRITE_CONFLICT,
          "the changes of all open transactions take more than the %d bytes that are allowed. ::"
                  .formatted(allMax)
              + " Please retry your operation or multi-document transaction.");
    }
    budget.take(MemoryBudget.Use.OPERATIONS, more);
  }

  void give(long bytes) {
    held.addAndGet(-bytes);
    budget.give(MemoryBudget.Use.OPERATIONS, bytes);
  }
}
