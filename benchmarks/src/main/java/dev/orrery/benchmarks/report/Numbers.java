package dev.orrery.benchmarks.report;

import java.util.Locale;

/** Numbers with as many digits as mean something. */
final class Numbers {
  private static final double MANY = 100;
  private static final double SOME = 10;

  private Numbers() {}

  static String format(double number) {
    if (number >= MANY) {
      return String.format(Locale.ROOT, "%,.0f", number);
    }
    return String.format(Locale.ROOT, number >= SOME ? "%.1f" : "%.2f", number);
  }

  /** A median with its range, {@code 1.50 (1.20 to 1.80)}. */
  static String format(Spread spread) {
    if (spread.least() == spread.greatest()) {
      return format(spread.median());
    }
    return "%s (%s to %s)"
        .formatted(format(spread.median()), format(spread.least()), format(spread.greatest()));
  }
}
