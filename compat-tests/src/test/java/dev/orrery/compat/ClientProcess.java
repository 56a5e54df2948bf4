package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

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

  /** What a program prints that has nothing to read, is content, and complains of nothing. */
  static List<String> lines(Path home, List<String> command) throws IOException {
    ClientProcess client = run(home, command, "");
    assertThat(client.err()).isEmpty();
    assertThat(client.exitCode()).as("%s", client.out()).isZero();
    return client.out();
  }

  /**
   * Runs a program in a home directory of its own.
   *
   * @throws IOException if it does not start, or does not end in time
   */
  static ClientProcess run(Path home, List<String> command, String input) throws IOException {
    Path in = Files.createTempFile(home, "in", ".txt");
    Path out = Files.createTempFile(home, "out", ".txt");
    Path err = Files.createTempFile(home, "err", ".txt");
    Files.writeString(in, input);
    keepFromCallingHome(home);
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

  /** The shell reports its use to its makers unless its settings say otherwise. */
  private static void keepFromCallingHome(Path home) throws IOException {
    Path settings = Files.createDirectories(home.resolve(".mongodb").resolve("mongosh"));
    Files.writeString(settings.resolve("config"), "{\"enableTelemetry\": false}");
  }
}
