package dev.orrery.compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program that was run to its end: how it ended and what it said. */
record ClientProcess(int exitCode, List<String> out, List<String> err) {
  private static final long SECONDS_MAX = 120;

  /**
   * Runs a program with nothing to read, in a home directory of its own.
   *
   * @throws IOException if it does not start, or does not end in time
   */
  static ClientProcess run(Path home, List<String> command) throws IOException {
    return run(home, command, "");
  }

  /** Runs a program that reads the given text. */
  static ClientProcess run(Path home, List<String> command, String input) throws IOException {
    Path in = Files.createTempFile(home, "in", ".txt");
    Path out = Files.createTempFile(home, "out", ".txt");
    Path err = Files.createTempFile(home, "err", ".txt");
    Files.writeString(in, input);
    var builder =
        new ProcessBuilder(new ArrayList<>(command))
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(Map.of("HOME", home.toString(), "NO_COLOR", "1"));
    Process process = builder.start();
    try {
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new IOException(command + " did not end; it said " + Files.readString(out));
      }
      return new ClientProcess(
          process.exitValue(), Files.readAllLines(out), Files.readAllLines(err));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + command, e);
    } finally {
      process.destroyForcibly();
    }
  }
}
