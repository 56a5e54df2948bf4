package dev.orrery.compat.soak;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * How many times slower than alone a thread is on this machine: other builds may have most of it,
 * and then everything takes longer that nobody is to blame for. Measured by a thread that works a
 * little, again and again: how long that takes, by how much of a processor it got.
 */
final class Slowness {
  /** Beyond that nothing is excused: what hangs must be found on any machine. */
  private static final double MOST = 12;

  private static final long WORK_NANOS = 20_000_000;
  private static final long PAUSE_MILLIS = 300;

  /** What was measured lately counts most, and all of it for about half a minute. */
  private static final double NEWEST_SHARE = 0.03;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private volatile double times = 1;

  /** Measures until the thread is interrupted. */
  void measure() {
    while (!Thread.currentThread().isInterrupted()) {
      double measured = once();
      // At once when it gets worse, as those who wait now are held up now.
      times = Math.max(measured > times ? (times + measured) / 2 : 1, mixed(measured));
      SoakRun.pause(PAUSE_MILLIS);
    }
  }

  private double mixed(double measured) {
    return times * (1 - NEWEST_SHARE) + measured * NEWEST_SHARE;
  }

  private static double once() {
    long start = System.nanoTime();
    long worked = THREADS.getCurrentThreadCpuTime();
    long end = worked + WORK_NANOS;
    long now = worked;
    while (now < end) {
      now = THREADS.getCurrentThreadCpuTime();
    }
    return Math.max(1, (double) (System.nanoTime() - start) / (now - worked));
  }

  /** How long something may take here that may take so many seconds on a machine of its own. */
  long secondsHere(long seconds) {
    return (long) (seconds * Math.min(MOST, times));
  }

  @Override
  public String toString() {
    return "%.1f times slower".formatted(times);
  }
}
