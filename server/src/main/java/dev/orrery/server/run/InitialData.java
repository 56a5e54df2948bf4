package dev.orrery.server.run;

import dev.orrery.server.transfer.ImportCommandLine;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** What a run begins with: dumps and archives by way of the import, scripts by way of mongosh. */
final class InitialData {
  private static final String SHELL = "mongosh";

  private final Console console;
  private final String uri;

  InitialData(Console console, String uri) {
    this.console = console;
    this.uri = uri;
  }

  /** Returns 0 when all was loaded. */
  int load(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new UsageException("there is no file " + file + ".");
    }
    if (file.toString().endsWith(".js")) {
      return script(file);
    }
    boolean isArchive = Files.isRegularFile(file) && isArchive(file);
    String path = isArchive ? "--archive=" + file : file.toString();
    return new ImportCommandLine(console, Clock.systemUTC()).run("--uri", uri, path);
  }

  private static boolean isArchive(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".archive") || name.endsWith(".gz") || name.endsWith(".agz");
  }

  private static int script(Path file, String uri) throws IOException, InterruptedException {
    return new ProcessBuilder(List.of(SHELL, uri, "--quiet", "--file", file.toString()))
        .inheritIO()
        .start()
        .waitFor();
  }

  private int script(Path file) {
    try {
      return script(file, uri);
    } catch (IOException e) {
      throw new UsageException(
          "%s is a script, which takes %s to run: %s.".formatted(file, SHELL, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }
}
