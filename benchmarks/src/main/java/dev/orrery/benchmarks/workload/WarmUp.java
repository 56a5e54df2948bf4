package dev.orrery.benchmarks.workload;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Tells when a server is warm: it has answered many requests, or has had much time where it is
 * slow, the last few slices cost about the same, and compilers had next to no part in them. Not for
 * ever: some loads never settle.
 */
final class WarmUp {
  /** How much the dearest of the last slices may cost over the cheapest. */
  static final double STABLE = 1.1;

  /** What compilers may have of the CPU time of a server that is warm. */
  static final double COMPILER_SHARE_MAX = 0.05;

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
     * for the first 300,000 requests, an update for more than a million, and a compiler's work is
     * the server's CPU time.
     */
    static final Need OF_FRESH_SERVER = new Need(400_000, 12, 50);

    /** For another load of the same kind. */
    static final Need OF_WARM_SERVER = new Need(20_000, 3, 12);
  }

  private final Need need;
  private final Deque<Slice> last = new ArrayDeque<>();
  private double requests;
  private double time;

  WarmUp(Need need) {
    this.need = need;
  }

  /**
   * Some requests in a row.
   *
   * @param cost of a request
   * @param requests how many
   * @param duration in measurements
   * @param compilerShare what compilers had of the server's CPU time
   */
  record Slice(double cost, double requests, double duration, double compilerShare) {}

  void add(Slice slice) {
    last.addLast(slice);
    if (last.size() > SLICES) {
      last.removeFirst();
    }
    requests += slice.requests;
    time += slice.duration;
  }

  boolean isOver() {
    boolean isEnough = requests >= need.requests || time >= need.time;
    return isEnough && isSettled() || time >= need.mostTime;
  }

  private boolean isSettled() {
    double least = last.stream().mapToDouble(Slice::cost).min().orElse(0);
    double most = last.stream().mapToDouble(Slice::cost).max().orElse(0);
    double compilers = last.stream().mapToDouble(Slice::compilerShare).average().orElse(1);
    return last.size() == SLICES && most <= least * STABLE && compilers <= COMPILER_SHARE_MAX;
  }
}
