package dev.orrery.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Maps positive numbers to places on a logarithmic axis with round ends. */
final class LogScale {
  private static final double[] ROUND = {1, 2, 5};
  private static final int MOST_TICKS = 12;

  private final double least;
  private final double greatest;
  private final double from;
  private final double to;

  /**
   * @param from the place of the least number
   * @param to the place of the greatest
   */
  LogScale(double least, double greatest, double from, double to) {
    this.least = roundDown(least);
    this.greatest = Math.max(roundUp(greatest), 2 * this.least);
    this.from = from;
    this.to = to;
  }

  double at(double number) {
    double share = Math.log(number / least) / Math.log(greatest / least);
    return from + share * (to - from);
  }

  /** Round numbers within the axis; powers of ten alone where there is no room for more. */
  List<Double> ticks() {
    List<Double> ticks = ticks(ROUND);
    return ticks.size() <= MOST_TICKS ? ticks : ticks(new double[] {1});
  }

  private List<Double> ticks(double[] digits) {
    var ticks = new ArrayList<Double>();
    int first = (int) Math.floor(Math.log10(least));
    int last = (int) Math.ceil(Math.log10(greatest));
    for (int power = first; power <= last; power++) {
      for (double digit : digits) {
        double tick = digit * Math.pow(10, power);
        if (tick >= least * 0.999 && tick <= greatest * 1.001) {
          ticks.add(tick);
        }
      }
    }
    return ticks;
  }

  static String label(double tick) {
    return tick >= 1
        ? String.format(Locale.ROOT, "%,.0f", tick)
        : Double.toString(Math.round(tick * 1e6) / 1e6);
  }

  private static double roundDown(double number) {
    double power = Math.pow(10, Math.floor(Math.log10(number)));
    double digit = number / power;
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
  }

  private static double roundUp(double number) {
    double down = roundDown(number * 0.999999);
    double digit = Math.round(down / Math.pow(10, Math.floor(Math.log10(down))));
    return down * (digit == 2 ? 2.5 : 2);
  }
}
