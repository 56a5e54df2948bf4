package dev.orrery.server.run;

import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A report of a run in a file, in the form that the file's name asks for. */
final class ReportFile {
  private ReportFile() {}

  /** Refuses a file whose name says nothing about its form. */
  static void requireKnown(Path file) {
    switch (ending(file)) {
      case "json", "md", "xml" -> {}
      default ->
          throw new UsageException(
              "a report is JSON (.json), Markdown (.md) or JUnit's XML (.xml), and not " + file);
    }
  }

  private static String ending(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** Reports are there for others to read, so they get the permissions that files have here. */
  static void write(Path file, RunResult result) throws IOException {
    String content =
        switch (ending(file)) {
          case "json" -> JsonReport.of(result);
          case "md" -> MarkdownReport.of(result);
          default -> JunitReport.of(result);
        };
    Files.writeString(file, content, StandardCharsets.UTF_8);
  }
}
