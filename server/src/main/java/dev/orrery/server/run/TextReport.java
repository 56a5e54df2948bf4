package dev.orrery.server.run;

import dev.orrery.server.ledger.Costs;
import dev.orrery.server.ledger.ShapeCost;
import dev.orrery.server.ledger.Sum;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The summary of a run for people, at the end of its output. */
final class TextReport {
  private static final int ROWS_MAX = 10;

  private final PrintStream out;

  TextReport(PrintStream out) {
    this.out = out;
  }

  void print(RunResult result) {
    Costs costs = result.costs();
    Sum total = costs.total();
    out.println(
        text(
            "orrery run: %.2f RU in %d requests, %d throttled; the command ended with %d",
            total.charge().toDouble(), total.requests(), total.refused(), result.exitCode()));
    section("by collection", sums(costs.collections()));
    section("by shape of command", shapes(costs));
    section("the dearest requests", dearest(costs));
    section("throttled", throttled(costs));
    section("used here, not on Cosmos DB for MongoDB 7.0", gaps(costs));
    section("faults that were injected", faults(costs));
    var exceeded = new ArrayList<String>();
    result.verdicts().stream()
        .filter(BudgetVerdict::isExceeded)
        .forEach(verdict -> exceeded.add(verdict.words()));
    if (!result.verdicts().isEmpty() && exceeded.isEmpty()) {
      out.println("  all " + result.verdicts().size() + " budgets are kept");
    }
    section("exceeded budgets", exceeded);
    out.flush();
  }

  private void section(String title, List<String> rows) {
    if (rows.isEmpty()) {
      return;
    }
    out.println("  " + title);
    rows.stream().limit(ROWS_MAX).forEach(row -> out.println("    " + row));
    if (rows.size() > ROWS_MAX) {
      out.println("    and " + (rows.size() - ROWS_MAX) + " more");
    }
  }

  private static List<String> sums(Map<String, Sum> sums) {
    return Costs.largestFirst(sums).stream()
        .map(
            entry ->
                text(
                    "%10.2f RU %7d x  %s",
                    entry.getValue().charge().toDouble(),
                    entry.getValue().requests(),
                    entry.getKey()))
        .toList();
  }

  private static List<String> shapes(Costs costs) {
    return costs.shapesLargestFirst().stream()
        .map(
            entry ->
                text(
                    "%10.2f RU %7d x  %s",
                    entry.getValue().sum().charge().toDouble(),
                    entry.getValue().sum().requests(),
                    entry.getKey()))
        .toList();
  }

  private static List<String> dearest(Costs costs) {
    return costs.dearest(ROWS_MAX).stream()
        .map(
            entry ->
                text(
                        "%10.2f RU  %s  %s",
                        entry.getValue().dearest().toDouble(),
                        entry.getKey(),
                        entry.getValue().effort().plan())
                    .stripTrailing())
        .toList();
  }

  private static List<String> throttled(Costs costs) {
    var rows = new ArrayList<String>();
    for (Map.Entry<String, ShapeCost> entry : costs.shapesLargestFirst()) {
      long refused = entry.getValue().sum().refused();
      if (refused > 0) {
        rows.add(text("%7d x  %s", refused, entry.getKey()));
      }
    }
    return rows;
  }

  private static List<String> gaps(Costs costs) {
    return costs.gaps().entrySet().stream()
        .map(
            entry ->
                text(
                    "%7d x  %s (%s): %s",
                    entry.getValue(),
                    entry.getKey().place(),
                    entry.getKey().rule(),
                    entry.getKey().words()))
        .sorted()
        .toList();
  }

  private static List<String> faults(Costs costs) {
    return costs.faults().entrySet().stream()
        .map(entry -> text("%7d x  %s", entry.getValue(), entry.getKey()))
        .sorted()
        .toList();
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
