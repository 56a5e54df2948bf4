package dev.orrery.server.operation;

import java.util.ArrayList;
import java.util.List;

/**
 * Holds writes back while somebody copies the files ({@code fsync} with {@code lock}). A write
 * waits without a thread until the last of the locks is gone; a connection waits with one at most.
 */
public final class WriteLock {
  private final List<Runnable> waiting = new ArrayList<>();
  private volatile int locks;

  /** Locks once more; how often it is locked now. */
  public synchronized int lock() {
    locks = locks + 1;
    return locks;
  }

  /**
   * Takes one lock away, and lets writes go on after the last; how many are left, -1 without any.
   */
  public int unlock() {
    List<Runnable> free;
    synchronized (this) {
      if (locks == 0) {
        return -1;
      }
      locks = locks - 1;
      if (locks > 0) {
        return locks;
      }
      free = List.copyOf(waiting);
      waiting.clear();
    }
    free.forEach(Runnable::run);
    return 0;
  }

  public boolean isLocked() {
    return locks > 0;
  }

  /** Runs the write when nothing is locked any more; false when it need not wait. */
  public boolean holdBack(Runnable write) {
    if (locks == 0) {
      return false;
    }
    synchronized (this) {
      return locks > 0 && waiting.add(write);
    }
  }
}
