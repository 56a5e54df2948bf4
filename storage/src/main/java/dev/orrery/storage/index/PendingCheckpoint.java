package dev.orrery.storage.index;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** A frozen state on its way to disk: cheap to take under the engine's lock, written without it. */
public final class PendingCheckpoint {
  private final PageFile file;
  private final Guard guard;
  private final Semaphore oneAtATime;
  private PageFileCheckpoint state;

  /** How a structure keeps its writers and readers away while its pages change places. */
  interface Guard {
    void exclusively(Runnable change);
  }

  /** Waits for the checkpoint before this one, then freezes. */
  PendingCheckpoint(
      PageFile file, Guard guard, Semaphore oneAtATime, Supplier<PageFileCheckpoint> freeze) {
    this.file = file;
    this.guard = guard;
    this.oneAtATime = oneAtATime;
    oneAtATime.acquireUninterruptibly();
    try {
      guard.exclusively(() -> state = freeze.get());
    } finally {
      if (state == null) {
        oneAtATime.release();
      }
    }
  }

  /** Gives the state up; the next checkpoint contains it. Instead of {@link #complete}. */
  public void abandon() {
    guard.exclusively(() -> file.abandon(state));
    oneAtATime.release();
  }

  /**
   * Writes the state; afterwards it is what a restart finds. If that fails, a restart finds the old
   * checkpoint, and the next checkpoint contains everything. To be called once, by any thread.
   */
  public void complete() {
    boolean isDone = false;
    try {
      file.write(state);
      guard.exclusively(() -> file.settle(state));
      isDone = true;
    } finally {
      if (!isDone) {
        guard.exclusively(() -> file.abandon(state));
      }
      oneAtATime.release();
    }
  }
}
