package dev.orrery.server.throughput;

/**
 * Which requests are looked at closely: the first hundred of every second, then every sixty-fourth,
 * which stands for all sixty-four. What little traffic does is known exactly, and much traffic pays
 * next to nothing for statistics.
 */
final class Sampling {
  /*
   * The fields are not synchronised. Threads may see old values or lose an increment: a few requests more
   * or less are looked at then, which no statistics can tell from chance. An atomic counter that
   * every request of every thread writes to would cost more than all that it saves.
   */
  static final int EXACT_PER_SECOND = 100;
  static final int INTERVAL = 64;

  private long second;
  private int count;

  /** How many requests this one stands for; 0 when it is passed over. */
  int weight(long now) {
    if (now != second) {
      second = now;
      count = 0;
    }
    int place = ++count;
    if (place <= EXACT_PER_SECOND) {
      return 1;
    }
    return place % INTERVAL == 0 ? INTERVAL : 0;
  }
}
