package dev.orrery.benchmarks.report;

import dev.orrery.benchmarks.report.Results.Case;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The tables of docs/benchmarks.md. */
final class MarkdownReport {
  private static final String OURS = "orrery";
  private static final List<Metric> RARE =
      List.of(
          Metric.MEGABYTES_PER_CPU_SECOND,
          Metric.EVENTS_PER_CPU_SECOND,
          Metric.CHANGE_SECONDS,
          Metric.READY_SECONDS,
          Metric.PING_SECONDS,
          Metric.IDLE_MEGABYTES,
          Metric.MEMORY_PER_MILLION,
          Metric.DISK_PER_MILLION,
          Metric.DISK_TO_LIVE);

  private final Results results;

  MarkdownReport(Results results) {
    this.results = results;
  }

  String text(Machine machine, String command) {
    return "```\n"
        + command
        + "\n```\n\n"
        + machine
        + ".\n\n"
        + goals()
        + "\n"
        + loads()
        + "\n"
        + others();
  }

  private String goals() {
    return table("Goal", "Demand", "Measured", "Reached")
        + Goals.all(results).stream().map(this::goal).collect(Collectors.joining());
  }

  private String goal(Goal goal) {
    Optional<Spread> spread = goal.measure().apply(results);
    return row(
        goal.name(),
        goal.demand(),
        spread.map(Numbers::format).orElse("not measured"),
        spread.map(it -> goal.isReached(it.median()) ? "yes" : "no").orElse(""));
  }

  /** Loads, with the ratio of each server's cost and speed to ours. */
  private String loads() {
    var text =
        new StringBuilder(
            table(
                "Workload",
                "Server",
                "Requests/s",
                "CPU, us/request",
                "p50, us",
                "p99, us",
                "CPU over Orrery's",
                "Requests/s over Orrery's"));
    for (Case row : results.cases()) {
      if (results.spread(row, Metric.REQUESTS_PER_SECOND).isPresent()) {
        text.append(load(row));
      }
    }
    return text.toString();
  }

  private String load(Case row) {
    return row(
        row.workload() + ", " + row.variant(),
        row.target(),
        median(row, Metric.REQUESTS_PER_SECOND),
        median(row, Metric.SERVER_CPU_MICROS),
        median(row, Metric.P50_MICROS),
        median(row, Metric.P99_MICROS),
        ratio(row, Metric.SERVER_CPU_MICROS),
        ratio(row, Metric.REQUESTS_PER_SECOND));
  }

  private String others() {
    var text = new StringBuilder(table("Workload", "Server", "What", "Measured"));
    for (Metric metric : RARE) {
      for (Case row : results.cases()) {
        results
            .spread(row, metric)
            .ifPresent(
                spread ->
                    text.append(
                        row(
                            row.workload() + ", " + row.variant(),
                            row.target(),
                            metric.label(),
                            Numbers.format(spread))));
      }
    }
    return text.toString();
  }

  private String median(Case row, Metric metric) {
    return results.spread(row, metric).map(spread -> Numbers.format(spread.median())).orElse("");
  }

  private String ratio(Case row, Metric metric) {
    if (row.target().equals(OURS)) {
      return "";
    }
    return results.ratio(row, row.of(OURS), metric).map(Numbers::format).orElse("");
  }

  private static String table(String... heads) {
    return row(heads) + "|" + "---|".repeat(heads.length) + "\n";
  }

  private static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }
}
