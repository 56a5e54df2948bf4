package dev.orrery.benchmarks.report;

import java.util.List;

/** The median of some numbers, with the least and the greatest of them. */
public record Spread(double median, double least, double greatest) {
  public static Spread of(List<Double> numbers) {
    List<Double> sorted = numbers.stream().sorted().toList();
    int middle = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1
            ? sorted.get(middle)
            : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    return new Spread(median, sorted.get(0), sorted.get(sorted.size() - 1));
  }
}
