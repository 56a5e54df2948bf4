package dev.orrery.compat.soak;

import dev.orrery.compat.PackagedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One life of the server process: durable, with small files, partitions and heap. */
final class SoakServer {
  private static final Pattern READY = Pattern.compile(".* is ready: mongodb://[^:]+:(\\d+)/.*");
  private static final Pattern HISTOGRAM_TOTAL = Pattern.compile("Total\\s+\\d+\\s+(\\d+)");

  private final Process process;
  private final int port;
  private volatile boolean isStopping;

  private SoakServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static SoakServer start(Path data, Path log) throws IOException {
    Process process =
        new ProcessBuilder(
                PackagedServer.java(),
                "-Xmx" + System.getProperty("soak.heap", "384m"),
                "-jar",
                PackagedServer.jar().toString(),
                "--port=0",
                "--console-port=off",
                "--log-level=warn",
                "--slowms=5000",
                "--limit=change-retention=5s",
                "--limit=log-segment=256KB",
                "--limit=physical-partition=512KB",
                "--data=" + data)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    var output = new BufferedReader(process.inputReader(StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      Matcher ready = READY.matcher(line);
      if (ready.matches()) {
        return new SoakServer(process, Integer.parseInt(ready.group(1)));
      }
    }
    throw new IOException("the server ended before it was ready; see " + log);
  }

  int port() {
    return port;
  }

  /** Whether requests are to be answered: the process lives, and nobody wants it to end. */
  boolean isServing() {
    return !isStopping && process.isAlive();
  }

  /** Ends the process as kill -9 does. */
  void kill() throws InterruptedException {
    isStopping = true;
    process.destroyForcibly().waitFor();
  }

  /** Ends the process as SIGTERM does; false if it does not end in so many seconds. */
  boolean stop(long seconds) throws InterruptedException {
    isStopping = true;
    process.destroy();
    return process.waitFor(seconds, TimeUnit.SECONDS);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String threads() {
    return jcmd("Thread.print", "-l");
  }

  /** What is left after a collection, what is open, and how many threads there are. */
  Footprint footprint() throws IOException {
    String histogram = jcmd("GC.class_histogram");
    Matcher total = HISTOGRAM_TOTAL.matcher(histogram);
    if (!total.find()) {
      throw new IOException("no total in the histogram: " + histogram);
    }
    Path own = Path.of("/proc", Long.toString(process.pid()));
    return new Footprint(
        Long.parseLong(total.group(1)), Footprint.handles(own), count(own.resolve("task")));
  }

  private static int count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return (int) entries.count();
    }
  }

  private String jcmd(String... command) {
    try {
      Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
      var all =
          Stream.concat(
              Stream.of(jcmd.toString(), Long.toString(process.pid())), List.of(command).stream());
      Process tool = new ProcessBuilder(all.toList()).redirectErrorStream(true).start();
      String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      tool.waitFor();
      return output;
    } catch (IOException e) {
      return "jcmd failed: " + e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "jcmd was interrupted";
    }
  }
}
