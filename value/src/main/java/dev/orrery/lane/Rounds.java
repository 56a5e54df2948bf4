package dev.orrery.lane;

/**
 * The life of a thread of the server's own: round after round, whatever goes wrong in one of them.
 * A thread that ended unseen would leave a server that looks alive and is not.
 */
public final class Rounds implements Runnable {
  /** What the thread does. */
  public interface Work {
    /** Waits for the next round; false when there is none. */
    boolean await() throws InterruptedException;

    void run() throws InterruptedException;

    /** Tells of a round that failed; whether there may be another one. */
    boolean mayGoOn(Throwable failure);
  }

  private final Work work;

  public Rounds(Work work) {
    this.work = work;
  }

  @Override
  public void run() {
    boolean goesOn = true;
    while (goesOn) {
      goesOn = round();
    }
  }

  private boolean round() {
    try {
      if (!work.await()) {
        return false;
      }
      work.run();
      return true;
    } catch (InterruptedException e) {
      return false; // whoever interrupts us wants the thread to end
    } catch (Throwable failure) {
      return mayGoOn(failure);
    }
  }

  private boolean mayGoOn(Throwable failure) {
    try {
      return work.mayGoOn(failure);
    } catch (Throwable again) {
      return true; // no memory even to tell of it; the next round tells, or succeeds
    }
  }

  /**
   * Whether what failed may succeed another time: everything but an error of the machine or of the
   * program's own classes. A lack of memory passes.
   */
  public static boolean isPassing(Throwable failure) {
    return !(failure instanceof Error)
        || failure instanceof OutOfMemoryError
        || failure instanceof StackOverflowError
        || failure instanceof AssertionError;
  }
}
