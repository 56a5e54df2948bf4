package dev.orrery.storage.structure;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps files open while somebody reads them: whoever enters may read until it leaves, and what
 * ends the files runs when the last reader has left.
 */
public final class Guard {
  private static final long ENDED = 1L << 62;

  private final AtomicLong readers = new AtomicLong();
  private volatile Runnable last;

  /** False when the files are gone or about to go; else {@link #leave} must follow. */
  public boolean tryEnter() {
    if (readers.incrementAndGet() > ENDED) {
      leave();
      return false;
    }
    return true;
  }

  public void leave() {
    if (readers.decrementAndGet() == ENDED) {
      // Late comers enter and leave too: the first to see the count runs it, once.
      Runnable end = last;
      if (end != null && readers.compareAndSet(ENDED, ENDED + ENDED / 2)) {
        end.run();
      }
    }
  }

  /**
   * Lets nobody in any more, and runs {@code end} as soon as nobody is inside. To be called once.
   */
  public void end(Runnable end) {
    last = end;
    readers.incrementAndGet();
    readers.addAndGet(ENDED);
    leave();
  }
}
