package dev.orrery.server.transfer.source;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;

/** Documents and indexes that could not be written: the first ones told, all counted. */
public final class TransferFailures {
  private static final long TOLD_MAX = 20;

  private final PrintStream err;
  private final boolean stops;
  private final AtomicLong count = new AtomicLong();

  public TransferFailures(PrintStream err, boolean stops) {
    this.err = err;
    this.stops = stops;
  }

  /**
   * Takes note of a failure.
   *
   * @throws TransferException if the first failure shall be the end
   */
  public void add(String message) throws TransferException {
    long number = count.incrementAndGet();
    if (stops) {
      throw new TransferException(message + "\nStopped at the first error, as --stopOnError asks.");
    }
    if (number <= TOLD_MAX) {
      err.println(message);
    } else if (number == TOLD_MAX + 1) {
      err.println("Further failures are counted and not shown; --stopOnError stops at the first.");
    }
  }

  public long count() {
    return count.get();
  }
}
