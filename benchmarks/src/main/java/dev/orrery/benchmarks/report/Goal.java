package dev.orrery.benchmarks.report;

import java.util.Optional;
import java.util.function.Function;

/**
 * Something that Orrery strives for.
 *
 * @param measure reads it from the results; empty when it was not measured
 * @param bound what the median must not be below, or not above
 */
record Goal(String name, Function<Results, Optional<Spread>> measure, Sense sense, double bound) {
  /** Whether more is better, or less. */
  enum Sense {
    AT_LEAST("at least"),
    AT_MOST("at most");

    private final String words;

    Sense(String words) {
      this.words = words;
    }
  }

  boolean isReached(double value) {
    return sense == Sense.AT_LEAST ? value >= bound : value <= bound;
  }

  String demand() {
    return sense.words + " " + Numbers.format(bound);
  }
}
