package dev.orrery.server.console.metrics;

import dev.orrery.server.operation.DurationCounts;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** Values that are read off now, gathered by the name under which Prometheus knows them. */
final class MetricFamilies {
  private static final double NANOS = 1e9;

  /** Ends of the buckets that are told, in seconds; ours are finer. */
  private static final double[] ENDS = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
  };

  private final Map<String, CounterSnapshot.Builder> counters = new LinkedHashMap<>();
  private final Map<String, GaugeSnapshot.Builder> gauges = new LinkedHashMap<>();
  private final Map<String, HistogramSnapshot.Builder> histograms = new LinkedHashMap<>();

  /** The name comes without {@code _total}, which the format adds. */
  void counter(String name, String help, double value, String... labels) {
    counters
        .computeIfAbsent(name, absent -> CounterSnapshot.builder().name(name).help(help))
        .dataPoint(
            CounterSnapshot.CounterDataPointSnapshot.builder()
                .labels(Labels.of(labels))
                .value(value)
                .build());
  }

  void gauge(String name, String help, double value, String... labels) {
    gauges
        .computeIfAbsent(name, absent -> GaugeSnapshot.builder().name(name).help(help))
        .dataPoint(
            GaugeSnapshot.GaugeDataPointSnapshot.builder()
                .labels(Labels.of(labels))
                .value(value)
                .build());
  }

  /** Durations. */
  void histogram(String name, String help, DurationCounts durations, String... labels) {
    long[] counts = durations.counts();
    var buckets = ClassicHistogramBuckets.builder();
    double sum = 0;
    int next = 0;
    for (double end : ENDS) {
      long inside = 0;
      while (next < counts.length && DurationCounts.endNanos(next) <= end * NANOS) {
        inside += counts[next];
        sum += counts[next] * middle(next);
        next++;
      }
      buckets.bucket(end, inside);
    }
    long beyond = 0;
    for (; next < counts.length; next++) {
      beyond += counts[next];
      sum += counts[next] * middle(next);
    }
    buckets.bucket(Double.POSITIVE_INFINITY, beyond);
    histograms
        .computeIfAbsent(name, absent -> HistogramSnapshot.builder().name(name).help(help))
        .dataPoint(
            HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(Labels.of(labels))
                .classicHistogramBuckets(buckets.build())
                .sum(sum)
                .build());
  }

  /** In seconds; the last bucket has no end and counts as its beginning. */
  private static double middle(int bucket) {
    double begin = bucket == 0 ? 0 : DurationCounts.endNanos(bucket - 1);
    boolean isLast = bucket == DurationCounts.BUCKETS - 1;
    double end = isLast ? begin : DurationCounts.endNanos(bucket);
    return (begin + end) / 2 / NANOS;
  }

  MetricSnapshots snapshots() {
    var all = new ArrayList<MetricSnapshot>();
    counters.values().forEach(family -> all.add(family.build()));
    gauges.values().forEach(family -> all.add(family.build()));
    histograms.values().forEach(family -> all.add(family.build()));
    return new MetricSnapshots(all);
  }
}
