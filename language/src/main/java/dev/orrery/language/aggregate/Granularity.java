package dev.orrery.language.aggregate;

import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The numbers that boundaries of $bucketAuto are rounded to: a series that repeats with every power
 * of ten (Renard's, the resistors', 1-2-5), or the powers of two.
 */
final class Granularity {
  private static final double[] R5 = {10, 16, 25, 40, 63};
  private static final double[] R10 = {10, 12.5, 16, 20, 25, 31.5, 40, 50, 63, 80};
  private static final double[] R20 = {
    10, 11.2, 12.5, 14, 16, 18, 20, 22.4, 25, 28, 31.5, 35.5, 40, 45, 50, 56, 63, 71, 80, 90
  };
  private static final double[] R40 = {
    10, 10.6, 11.2, 11.8, 12.5, 13.2, 14, 15, 16, 17, 18, 19, 20, 21.2, 22.4, 23.6, 25, 26.5, 28,
    30, 31.5, 33.5, 35.5, 37.5, 40, 42.5, 45, 47.5, 50, 53, 56, 60, 63, 67, 71, 75, 80, 85, 90, 95
  };
  private static final double[] R80 = {
    10, 10.3, 10.6, 10.9, 11.2, 11.5, 11.8, 12.2, 12.5, 12.8, 13.2, 13.6, 14, 14.5, 15, 15.5, 16,
    16.5, 17, 17.5, 18, 18.5, 19, 19.5, 20, 20.6, 21.2, 21.8, 22.4, 23, 23.6, 24.3, 25, 25.8, 26.5,
    27.2, 28, 29, 30, 30.7, 31.5, 32.5, 33.5, 34.5, 35.5, 36.5, 37.5, 38.7, 40, 41.2, 42.5, 43.7,
    45, 46.2, 47.5, 48.7, 50, 51.5, 53, 54.5, 56, 58, 60, 61.5, 63, 65, 67, 69, 71, 73, 75, 77.5,
    80, 82.5, 85, 87.5, 90, 92.5, 95, 97.5
  };
  private static final double[] E6 = {10, 15, 22, 33, 47, 68};
  private static final double[] E12 = {10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82};
  private static final double[] E24 = {
    10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91
  };

  /** No series: powers of two. */
  private static final double[] POWERS_OF_2 = {};

  private static final Map<String, double[]> SERIES =
      Map.ofEntries(
          entry("1-2-5", new double[] {10, 20, 50}),
          entry("E12", E12),
          entry("E192", threeDigits(192)),
          entry("E24", E24),
          entry("E48", threeDigits(48)),
          entry("E6", E6),
          entry("E96", threeDigits(96)),
          entry("POWERSOF2", POWERS_OF_2),
          entry("R10", R10),
          entry("R20", R20),
          entry("R40", R40),
          entry("R5", R5),
          entry("R80", R80));

  private final double[] series;

  private Granularity(double[] series) {
    this.series = series;
  }

  static Granularity parse(String name) {
    double[] series = SERIES.get(name);
    if (series == null) {
      throw new CommandException(
          ErrorCode.LOCATION_40257, "Unknown rounding granularity '" + name + "'");
    }
    return new Granularity(series);
  }

  /** Roots of ten, rounded to three digits; the standard has 920 where that gives 919. */
  private static double[] threeDigits(int count) {
    return IntStream.range(0, count)
        .mapToDouble(i -> Math.rint(100 * Math.pow(10, (double) i / count)))
        .map(number -> number == 919 ? 920 : number)
        .toArray();
  }

  /** The next number of the series above. */
  double roundUp(double number) {
    if (number == 0 || number == Double.POSITIVE_INFINITY) {
      return number; // nothing is above
    }
    if (series == POWERS_OF_2) {
      return Math.scalb(1.0, Math.getExponent(number) + 1);
    }
    double multiplier = 1;
    double last = series[series.length - 1];
    while (number >= last * multiplier) {
      multiplier *= 10;
    }
    while (number < series[0] * multiplier) {
      double lowest = series[0] * multiplier;
      multiplier /= 10;
      if (number >= last * multiplier) {
        return lowest;
      }
    }
    for (double one : series) {
      if (number < one * multiplier) {
        return one * multiplier;
      }
    }
    throw new IllegalStateException("no number above " + number);
  }

  /** The next number of the series below. */
  double roundDown(double number) {
    if (number == 0 || number == Double.POSITIVE_INFINITY) {
      return number;
    }
    if (series == POWERS_OF_2) {
      double power = Math.scalb(1.0, Math.getExponent(number));
      return power == number ? power / 2 : power;
    }
    double multiplier = 1;
    double last = series[series.length - 1];
    while (number <= series[0] * multiplier) {
      multiplier /= 10;
    }
    if (multiplier == 0) {
      return 0; // no double is so small
    }
    while (number > last * multiplier) {
      double highest = last * multiplier;
      multiplier *= 10;
      if (number <= series[0] * multiplier) {
        return highest;
      }
    }
    for (int i = series.length - 1; i >= 0; i--) {
      if (series[i] * multiplier < number) {
        return series[i] * multiplier;
      }
    }
    throw new IllegalStateException("no number below " + number);
  }
}
