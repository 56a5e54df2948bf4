package dev.orrery.benchmarks.report;

import java.util.Arrays;
import java.util.Locale;

/** Measures two things in turn, so that what slows the machine slows both. */
public final class Turns {
  private final int rounds;
  private final int warmups;
  private final double[] one;
  private final double[] other;
  private final double[] ratios;

  public Turns(int rounds, int warmups) {
    this.rounds = rounds;
    this.warmups = warmups;
    this.one = new double[rounds];
    this.other = new double[rounds];
    this.ratios = new double[rounds];
  }

  /** Measures one of the two. */
  public interface Cost<E extends Exception> {
    double measure(boolean isOne) throws E;
  }

  public <E extends Exception> void run(Cost<E> cost) throws E {
    for (int round = -warmups; round < rounds; round++) {
      boolean isOneFirst = (round & 1) == 0;
      double first = cost.measure(isOneFirst);
      double second = cost.measure(!isOneFirst);
      if (round >= 0) {
        one[round] = isOneFirst ? first : second;
        other[round] = isOneFirst ? second : first;
        ratios[round] = one[round] / other[round];
      }
    }
  }

  /** A row of a table: the medians of both, and the ratio with its spread. */
  public String row(String title) {
    return String.format(
        Locale.ROOT,
        "| %s | %.0f | %.0f | %.3f (%.3f to %.3f) |",
        title,
        median(one),
        median(other),
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
