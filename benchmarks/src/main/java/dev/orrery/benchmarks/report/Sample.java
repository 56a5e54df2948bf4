package dev.orrery.benchmarks.report;

import java.util.Map;

/**
 * What one server did in one round.
 *
 * @param variant the parameters of the workload, in words
 */
public record Sample(
    String workload, String variant, String target, int round, Map<Metric, Double> values) {
  public Sample {
    values = Map.copyOf(values);
  }
}
