package dev.orrery.compat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The packaged jar as a process of its own, as users run it: on any free port, stopped by its id.
 */
public final class PackagedServer implements AutoCloseable {
  private static final Pattern READY =
      Pattern.compile("Orrery \\S+ is ready: mongodb://127\\.0\\.0\\.1:(\\d+)/\\S*");

  private final Process process;
  private final int port;

  private PackagedServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Starts an ephemeral server with further options. */
  static PackagedServer ephemeral(String... options) {
    var all = new ArrayList<>(List.of("--ephemeral"));
    all.addAll(List.of(options));
    return start(all);
  }

  /** Starts a server on a data directory. */
  static PackagedServer on(Path data, String... options) {
    var all = new ArrayList<>(List.of("--data", data.toString()));
    all.addAll(List.of(options));
    return start(all);
  }

  private static PackagedServer start(List<String> options) {
    var command =
        new ArrayList<>(
            List.of(
                java(),
                "-Xmx512m",
                "-jar",
                jar().toString(),
                "--port",
                "0",
                "--console-port",
                "off"));
    command.addAll(options);
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      return new PackagedServer(process, awaitReady(process));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How a run of the jar ended, and everything it printed. */
  public record Ended(int exitCode, String output) {}

  /** Runs the jar for something other than serving, until it ends. */
  public static Ended run(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(java(), "-jar", jar().toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  /** The Java that runs these tests. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  public static Path jar() {
    Path jar = Path.of("..", "server", "target", "orrery.jar").toAbsolutePath().normalize();
    if (!Files.exists(jar)) {
      throw new IllegalStateException(jar + " is missing: run mvn verify, which packages it first");
    }
    return jar;
  }

  private static int awaitReady(Process process) throws IOException {
    var reader = new BufferedReader(process.inputReader(StandardCharsets.UTF_8));
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      Matcher ready = READY.matcher(line);
      if (ready.matches()) {
        return Integer.parseInt(ready.group(1));
      }
    }
    throw new IOException("the server ended before it was ready");
  }

  public int port() {
    return port;
  }

  public String uri() {
    return "mongodb://127.0.0.1:" + port + "/";
  }

  public long pid() {
    return process.pid();
  }

  /** Ends the process as kill -9 does. */
  void kill() {
    process.destroyForcibly();
    await();
  }

  @Override
  public void close() {
    process.destroy();
    await();
  }

  private void await() {
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
