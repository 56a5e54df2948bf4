package dev.orrery.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Everything that a run leaves behind. */
public final class Report {
  static final String BEGIN = "<!-- begin: made by benchmarks.jar run -->\n";
  static final String END = "<!-- end -->\n";

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

  /** Replaces what stands between two marks in a document by the tables of this run. */
  public void insertInto(Path document) throws IOException {
    String text = Files.readString(document);
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END, Math.max(begin, 0));
    if (begin < 0 || end < 0) {
      throw new IOException(document + " has no place for the results");
    }
    String before = text.substring(0, begin + BEGIN.length());
    String tables = "\n" + markdown() + "\n" + plots() + "\n";
    Files.writeString(document, before + tables + text.substring(end));
  }

  /** Links to the pictures, from a document in docs. */
  private String plots() {
    return Plots.of(results).stream()
        .map(plot -> "[%s](../benchmarks/results/%s.svg)".formatted(plot.name(), plot.name()))
        .collect(Collectors.joining(", ", "Plots: ", ".\n"));
  }
}
