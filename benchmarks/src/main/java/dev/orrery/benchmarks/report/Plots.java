package dev.orrery.benchmarks.report;

import dev.orrery.benchmarks.report.Results.Case;
import java.util.ArrayList;
import java.util.List;

/** The pictures of a run. */
final class Plots {
  private static final String OURS = "orrery";
  private static final String FAN_OUT = "fan-out";

  /** A picture and the name of its file. */
  record Plot(String name, String svg) {}

  private Plots() {}

  static List<Plot> of(Results results) {
    var plots = new ArrayList<Plot>();
    addBars(plots, results, "cpu", Metric.SERVER_CPU_MICROS);
    addBars(plots, results, "latency", Metric.P99_MICROS);
    addBars(plots, results, "throughput", Metric.REQUESTS_PER_SECOND);
    addFanOut(plots, results);
    return plots;
  }

  private static void addBars(List<Plot> plots, Results results, String name, Metric metric) {
    var chart =
        new BarChart(metric.label() + ": the others over Orrery", "times as much as Orrery");
    for (Case row : results.cases()) {
      if (!row.target().equals(OURS)) {
        results
            .ratio(row, row.of(OURS), metric)
            .ifPresent(
                spread -> chart.add(row.workload() + ", " + row.variant(), row.target(), spread));
      }
    }
    if (!chart.isEmpty()) {
      plots.add(new Plot(name, chart.svg()));
    }
  }

  private static void addFanOut(List<Plot> plots, Results results) {
    var chart =
        new LineChart(
            "A query to one partition, and to all", "partitions", "server CPU, us/request");
    for (Case row : results.cases()) {
      if (row.workload().equals(FAN_OUT)) {
        String[] words = row.variant().split(", ");
        double partitions = Double.parseDouble(words[1].split(" ")[0]);
        results
            .spread(row, Metric.SERVER_CPU_MICROS)
            .ifPresent(spread -> chart.add(words[0], partitions, spread));
      }
    }
    if (!chart.isEmpty()) {
      plots.add(new Plot(FAN_OUT, chart.svg()));
    }
  }
}
