package dev.orrery.benchmarks.workload;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Tells when a server is warm: it has answered many requests, or has had much time where it is
 * slow, and the last few slices cost about the same. Not for ever: some loads never settle.
 */
final class WarmUp {
  /** How much the dearest of the last slices may cost over the cheapest. */
  static final double STABLE = 1.1;

  private static final int SLICES = 3;

  /**
   * How much is enough; times are in measurements, so that a short run has a short warm-up.
   *
   * @param time what is enough where there are not so many requests
   * @param mostTime ends it in any case
   */
  record Need(double requests, double time, double mostTime) {
    /**
     * For a process that was just started. A point read is compiled, made anew and compiled again
     * for the first 300,000 requests, and a compiler's work is the server's CPU time.
     */
    static final Need OF_FRESH_SERVER = new Need(400_000, 12, 20);

    /** For another load of the same kind. */
    static final Need OF_WARM_SERVER = new Need(20_000, 3, 12);
  }

  private final Need need;
  private final Deque<Double> last = new ArrayDeque<>();
  private double requests;
  private double time;

  WarmUp(Need need) {
    this.need = need;
  }

  /**
   * @param cost of a request in this slice
   * @param count of requests
   * @param duration in measurements
   */
  void add(double cost, double count, double duration) {
    last.addLast(cost);
    if (last.size() > SLICES) {
      last.removeFirst();
    }
    requests += count;
    time += duration;
  }

  boolean isOver() {
    boolean isEnough = requests >= need.requests || time >= need.time;
    return isEnough && isSettled() || time >= need.mostTime;
  }

  private boolean isSettled() {
    double least = last.stream().mapToDouble(cost -> cost).min().orElse(0);
    double most = last.stream().mapToDouble(cost -> cost).max().orElse(0);
    return last.size() == SLICES && most <= least * STABLE;
  }
}
