package dev.orrery.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Everything that a run leaves behind. */
public final class Report {
  private final Results results;
  private final Machine machine;
  private final String command;

  public Report(Results results, Machine machine, String command) {
    this.results = results;
    this.machine = machine;
    this.command = command;
  }

  public String markdown() {
    return new MarkdownReport(results).text(machine, command);
  }

  public void writeTo(Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("results.md"), markdown());
    Files.writeString(
        directory.resolve("results.json"), JsonReport.text(results, machine, command));
    for (Plots.Plot plot : Plots.of(results)) {
      Files.writeString(directory.resolve(plot.name() + ".svg"), plot.svg());
    }
  }
}
