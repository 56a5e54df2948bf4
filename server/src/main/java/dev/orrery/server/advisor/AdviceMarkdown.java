package dev.orrery.server.advisor;

import java.util.Arrays;
import java.util.Locale;

/** Advice for people: a table, then each candidate with its reasons and two small pictures. */
public final class AdviceMarkdown {
  private static final int BAR = 30;
  private static final String SHADES = " .:-=+*#%@";

  private final StringBuilder text = new StringBuilder();
  private final KeyAdvice advice;

  private AdviceMarkdown(KeyAdvice advice) {
    this.advice = advice;
  }

  public static String of(KeyAdvice advice) {
    var markdown = new AdviceMarkdown(advice);
    markdown.write();
    return markdown.text.toString();
  }

  private void line(String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private void write() {
    Verdict best = advice.best();
    line("# Partition key: %s", best.candidate().name());
    line("");
    if (!best.isPossible()) {
      line("No candidate is without problems; this one has the fewest.");
      line("");
    }
    line(
        "From %,d documents (%,d bytes) and %,d requests in %,.0f seconds, over %d partitions.",
        advice.documents(),
        advice.bytes(),
        advice.requests(),
        advice.seconds(),
        advice.partitions());
    line(
        "Counts of more than %,d values have a standard error of %.1f %%."
            + " Money is by prices of %s.",
        DocumentSketch.HEAVY_MAX, KeyAdvice.ERROR_PERCENT, advice.prices().date());
    line("");
    line(
        "| candidate | possible | RU/s needed | RU in all | reads in one | writes in one | %s |",
        "values | " + advice.prices().currency() + " a month");
    line("|---|---|---|---|---|---|---|---|");
    advice.verdicts().forEach(this::row);
    advice.verdicts().forEach(this::section);
  }

  private void row(Verdict verdict) {
    Verdict.Load load = verdict.load();
    line(
        "| %s | %s | %s | %,.0f | %.0f %% | %.0f %% | %,d | %,.2f |",
        verdict.candidate().name(),
        verdict.isPossible() ? "yes" : "no",
        needed(load),
        load.units(),
        100 * load.readShare(),
        100 * load.writeShare(),
        verdict.values().distinct(),
        verdict.future().monthly());
  }

  private static String needed(Verdict.Load load) {
    if (load.unitsPerSecond() > 0) {
      return String.format(Locale.ROOT, "%,d", load.unitsPerSecond());
    }
    Verdict.Rate most = load.refusedAt().get(load.refusedAt().size() - 1);
    return String.format(Locale.ROOT, "more than %,d", most.unitsPerSecond());
  }

  private void section(Verdict verdict) {
    line("");
    line("## %s", verdict.candidate().name());
    line("");
    verdict.problems().forEach(problem -> line("- **%s**", problem));
    verdict.reasons().forEach(reason -> line("- %s", reason));
    int[] partitions = verdict.future().partitions();
    line(
        "- Partitions now %d, in 6 months %d, in 12 months %d.",
        partitions[0], partitions[1], partitions[2]);
    line("");
    line("    `%s`", verdict.candidate().toBson().toJson());
    line("");
    bars(verdict);
    heat(verdict.load());
  }

  /** What each partition has and spends. */
  private void bars(Verdict verdict) {
    double[] bytes = verdict.values().bytesByPartition();
    double[] units = verdict.load().unitsByPartition();
    line("    partition  %-" + BAR + "s  request units", "bytes");
    for (int i = 0; i < bytes.length; i++) {
      line("    %9d  %-" + BAR + "s  %s", i, bar(bytes, i), bar(units, i));
    }
  }

  private static String bar(double[] numbers, int index) {
    double most = Arrays.stream(numbers).max().orElse(0);
    return "#".repeat(most == 0 ? 0 : (int) Math.round(BAR * numbers[index] / most));
  }

  /** What each partition spends over time: the darker the more. */
  private void heat(Verdict.Load load) {
    double most = Arrays.stream(load.picture()).flatMapToDouble(Arrays::stream).max().orElse(0);
    line("");
    line("    request units over time, %d s in each column", load.columnSeconds());
    for (int i = 0; i < load.unitsByPartition().length; i++) {
      var row = new StringBuilder();
      for (double[] column : load.picture()) {
        int shade = most == 0 ? 0 : (int) Math.round((SHADES.length() - 1) * column[i] / most);
        row.append(SHADES.charAt(shade));
      }
      line("    %9d  |%s|", i, row);
    }
  }
}
