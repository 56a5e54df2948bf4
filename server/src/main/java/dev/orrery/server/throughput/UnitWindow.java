package dev.orrery.server.throughput;

/** What was spent in each of the last sixty seconds, and in all. Thread-safe. */
final class UnitWindow {
  static final int SECONDS = 60;

  private final long[] units = new long[SECONDS];
  private final long[] seconds = new long[SECONDS];
  private long total;
  private long requests;

  void add(long second, long twentyFirsts) {
    add(second, twentyFirsts, 1);
  }

  /**
   * @param weight how many requests it was
   */
  synchronized void add(long second, long twentyFirsts, int weight) {
    int slot = (int) Math.floorMod(second, (long) SECONDS);
    if (seconds[slot] != second) {
      seconds[slot] = second;
      units[slot] = 0;
    }
    units[slot] += twentyFirsts;
    total += twentyFirsts;
    requests += weight;
  }

  /** In twenty-firsts, since the start. */
  synchronized long total() {
    return total;
  }

  synchronized long requests() {
    return requests;
  }

  /** In twenty-firsts, in the minute that ends with that second. */
  long lastMinute(long second) {
    return last(SECONDS, second);
  }

  /** In twenty-firsts, in so many seconds of which that is the last. */
  synchronized long last(int count, long second) {
    long sum = 0;
    for (int slot = 0; slot < SECONDS; slot++) {
      boolean isRecent = seconds[slot] <= second && seconds[slot] > second - count;
      sum += isRecent ? units[slot] : 0;
    }
    return sum;
  }

  /** In twenty-firsts, in one second of the last minute. */
  synchronized long in(long second) {
    int slot = (int) Math.floorMod(second, (long) SECONDS);
    return seconds[slot] == second ? units[slot] : 0;
  }
}
