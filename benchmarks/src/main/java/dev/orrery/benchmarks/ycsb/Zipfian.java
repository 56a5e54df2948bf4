package dev.orrery.benchmarks.ycsb;

import java.util.SplittableRandom;

/**
 * Numbers from 0 on, of which the k-th comes with a probability in proportion to 1 / (k + 1)^0.99,
 * by the method of Gray and others ("Quickly generating billion-record synthetic databases").
 */
final class Zipfian {
  static final double THETA = 0.99;

  private final SplittableRandom random;
  private final long items;
  private final double zeta;
  private final double alpha = 1 / (1 - THETA);
  private final double eta;

  Zipfian(long items, SplittableRandom random) {
    this.random = random;
    this.items = items;
    zeta = zeta(items);
    eta = (1 - Math.pow(2.0 / items, 1 - THETA)) / (1 - zeta(2) / zeta);
  }

  static double zeta(long items) {
    double sum = 0;
    for (long i = 1; i <= items; i++) {
      sum += 1 / Math.pow(i, THETA);
    }
    return sum;
  }

  long next() {
    double share = random.nextDouble();
    double scaled = share * zeta;
    if (scaled < 1) {
      return 0;
    }
    if (scaled < 1 + Math.pow(0.5, THETA)) {
      return 1;
    }
    long number = (long) (items * Math.pow(eta * share - eta + 1, alpha));
    return Math.min(number, items - 1);
  }
}
