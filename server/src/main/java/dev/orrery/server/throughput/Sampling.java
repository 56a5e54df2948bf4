package dev.orrery.server.throughput;

/**
 * Which of many are looked at closely: the first of every second, then every sixty-first, which
 * stands for all sixty-one. What little traffic does is known exactly, and much traffic pays next
 * to nothing for statistics.
 */
final class Sampling {
  /*
   * The fields are not synchronised. Threads may see old values or lose an increment: a few more or less
   * are looked at then, which no statistics can tell from chance. An atomic counter that
   * every request of every thread writes to would cost more than all that it saves.
   */

  /** A prime: keys that come in turns, as eight or sixty-four tenants may, are all looked at. */
  static final int INTERVAL = 61;

  private final int exactPerSecond;
  private long second;
  private int count;

  Sampling(int exactPerSecond) {
    this.exactPerSecond = exactPerSecond;
  }

  /** How many this one stands for; 0 when it is passed over. */
  int weight(long now) {
    if (now != second) {
      second = now;
      count = 0;
    }
    int place = ++count;
    if (place <= exactPerSecond) {
      return 1;
    }
    return place % INTERVAL == 0 ? INTERVAL : 0;
  }
}
