package dev.orrery.benchmarks.metering;

import java.util.Arrays;
import java.util.Locale;

/** Measures with counting and without in turn, so that what slows the machine slows both. */
final class Turns {
  private final int rounds;
  private final int warmups;
  private final double[] counted;
  private final double[] uncounted;
  private final double[] ratios;

  Turns(int rounds, int warmups) {
    this.rounds = rounds;
    this.warmups = warmups;
    this.counted = new double[rounds];
    this.uncounted = new double[rounds];
    this.ratios = new double[rounds];
  }

  /** What a read costs, in nanoseconds. */
  interface Cost<E extends Exception> {
    double measure(boolean isCounted) throws E;
  }

  <E extends Exception> void run(Cost<E> cost) throws E {
    for (int round = -warmups; round < rounds; round++) {
      boolean isCountedFirst = (round & 1) == 0;
      double first = cost.measure(isCountedFirst);
      double second = cost.measure(!isCountedFirst);
      if (round >= 0) {
        counted[round] = isCountedFirst ? first : second;
        uncounted[round] = isCountedFirst ? second : first;
        ratios[round] = counted[round] / uncounted[round];
      }
    }
  }

  /** A row of a table: both costs, and the ratio with its spread. */
  String row(String title) {
    return String.format(
        Locale.ROOT,
        "| %s | %.0f | %.0f | %.3f (%.3f to %.3f) |",
        title,
        median(counted),
        median(uncounted),
        median(ratios),
        Arrays.stream(ratios).min().orElseThrow(),
        Arrays.stream(ratios).max().orElseThrow());
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
