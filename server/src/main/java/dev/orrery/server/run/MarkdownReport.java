package dev.orrery.server.run;

import dev.orrery.server.ledger.Costs;
import dev.orrery.server.ledger.ShapeCost;
import dev.orrery.server.ledger.Sum;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A report of a run as Markdown, for the summary page of a build. */
final class MarkdownReport {
  private static final int ROWS_MAX = 50;

  private final StringBuilder text = new StringBuilder();

  private MarkdownReport() {}

  static String of(RunResult result) {
    return new MarkdownReport().write(result);
  }

  private String write(RunResult result) {
    Costs costs = result.costs();
    Sum total = costs.total();
    line("## Request units");
    line("");
    line(
        "**%.2f RU** in %d requests, %d throttled; the command ended with %d.",
        total.charge().toDouble(), total.requests(), total.refused(), result.exitCode());
    budgets(result.verdicts());
    collections(costs);
    shapes("Shapes of commands", costs.shapesLargestFirst());
    shapes("The dearest requests", costs.dearest(10));
    gaps(costs);
    var faults = new ArrayList<List<String>>();
    costs.faults().forEach((fault, count) -> faults.add(List.of(fault, count.toString())));
    table("Faults that were injected", List.of("fault", "times"), faults);
    return text.toString();
  }

  private void budgets(List<BudgetVerdict> verdicts) {
    var rows = new ArrayList<List<String>>();
    for (BudgetVerdict verdict : verdicts) {
      rows.add(
          List.of(
              verdict.isExceeded() ? "exceeded" : "kept",
              verdict.kind(),
              code(verdict.name()),
              number(verdict.spent().toDouble()),
              number(verdict.limit()),
              verdict.isExceeded() ? verdict.reason() : ""));
    }
    rows.sort((one, other) -> one.get(0).compareTo(other.get(0)));
    table("Budgets", List.of("", "of", "name", "RU", "limit", "reason"), rows);
  }

  private void collections(Costs costs) {
    var rows = new ArrayList<List<String>>();
    for (Map.Entry<String, Sum> entry : Costs.largestFirst(costs.collections())) {
      Sum sum = entry.getValue();
      rows.add(
          List.of(
              code(entry.getKey()),
              number(sum.charge().toDouble()),
              String.valueOf(sum.requests()),
              String.valueOf(sum.refused())));
    }
    table("Collections", List.of("collection", "RU", "requests", "throttled"), rows);
  }

  private void shapes(String title, List<Map.Entry<String, ShapeCost>> shapes) {
    var rows = new ArrayList<List<String>>();
    for (Map.Entry<String, ShapeCost> entry : shapes) {
      ShapeCost cost = entry.getValue();
      rows.add(
          List.of(
              code(entry.getKey()),
              number(cost.sum().charge().toDouble()),
              String.valueOf(cost.sum().requests()),
              number(cost.dearest().toDouble()),
              code(cost.effort().plan())));
    }
    table(title, List.of("shape", "RU", "requests", "dearest", "plan"), rows);
  }

  private void gaps(Costs costs) {
    var rows = new ArrayList<List<String>>();
    costs
        .gaps()
        .forEach(
            (gap, count) ->
                rows.add(
                    List.of(code(gap.place()), gap.rule(), cell(gap.words()), count.toString())));
    rows.sort((one, other) -> one.get(0).compareTo(other.get(0)));
    table(
        "Used here, not on Cosmos DB for MongoDB 7.0",
        List.of("where", "rule", "what it says", "times"),
        rows);
  }

  private void table(String title, List<String> columns, List<List<String>> rows) {
    if (rows.isEmpty()) {
      return;
    }
    line("");
    line("### %s", title);
    line("");
    row(columns);
    row(columns.stream().map(column -> "---").toList());
    rows.stream().limit(ROWS_MAX).forEach(this::row);
    if (rows.size() > ROWS_MAX) {
      line("");
      line("and %d more", rows.size() - ROWS_MAX);
    }
  }

  private void row(List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static String code(String name) {
    return name.isEmpty() ? "" : "`" + cell(name).replace('`', '\'') + "`";
  }

  private static String cell(String words) {
    return words.replace("|", "\\|").replaceAll("\\s+", " ");
  }
}
