package dev.orrery.server;

import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.log.LogOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * A durable server in a process of its own whose log begins a new segment all the time. Its first
 * line is its port.
 */
final class SmallSegmentServer implements AutoCloseable {
  private static final int SEGMENT_BYTES = 64 << 10;

  final Process process;
  final int port;
  final List<String> output = Collections.synchronizedList(new ArrayList<>());
  private final Thread reader;

  private SmallSegmentServer(Process process) throws IOException {
    this.process = process;
    BufferedReader lines = process.inputReader();
    this.port = Integer.parseInt(lines.readLine());
    this.reader = new Thread(() -> read(lines), "output"); // a full pipe would stop the server
    reader.start();
  }

  private void read(BufferedReader lines) {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add(line);
      }
    } catch (IOException e) {
      output.add("the pipe went with the process: " + e);
    }
  }

  static SmallSegmentServer start(Path data, String... flags) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> moduleFlags =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(flag -> flag.startsWith("--") || flag.startsWith("-Dsun.misc.unsafe."))
            .toList();
    var command = new ArrayList<String>();
    command.add(java);
    command.addAll(moduleFlags);
    command.addAll(Arrays.asList(flags));
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            SmallSegmentServer.class.getName(),
            data.toString()));
    return new SmallSegmentServer(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  String uri(String options) {
    return "mongodb://127.0.0.1:" + port + "/?serverSelectionTimeoutMS=20000&" + options;
  }

  /** The process: serves until it is told to stop. */
  public static void main(String[] arguments) throws IOException {
    String[] all = {"--port=0", "--console-port=off", "--data=" + arguments[0]};
    var config =
        CommandLineParser.config(new CommandLineParser("1", System.out).parse(all), Map.of());
    var process = new OwnProcess(System.err);
    var options =
        ServerOptions.engine(config).with(LogOptions.defaults().withSegmentBytes(SEGMENT_BYTES));
    var server =
        MongoServer.start(
            config,
            (c, data) ->
                EngineBackend.open(
                    c,
                    data,
                    process,
                    (directory, ignored, hooks) ->
                        ChronicleEngine.open(directory, options, hooks)));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
    System.out.println(server.address().getPort());
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      reader.join();
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }
}
