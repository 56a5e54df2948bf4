package dev.orrery.lane;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A thread of the background that works in rounds, with pauses, until it is told to stop. */
public final class Pulse {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition stopping = lock.newCondition();
  private final long millis;
  private final Thread thread;
  private volatile boolean isStopping;

  /**
   * @param millis how long it rests before each round
   */
  public Pulse(String name, long millis, Rounds.Work work) {
    this.millis = millis;
    this.thread = Lane.BACKGROUND.thread(name, new Rounds(work));
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Rests until the next round; false when there is none. */
  public boolean await() throws InterruptedException {
    lock.lock();
    try {
      if (!isStopping) {
        stopping.await(millis, TimeUnit.MILLISECONDS);
      }
      return !isStopping;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a round that takes long should end. */
  public boolean isStopping() {
    return isStopping;
  }

  /** Lets no further round begin, and waits for the end of the last. */
  public void stop() {
    lock.lock();
    try {
      isStopping = true;
      stopping.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
