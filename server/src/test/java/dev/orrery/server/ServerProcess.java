package dev.orrery.server;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server as a process of its own, with a heap of its own; stopped by its id. */
final class ServerProcess implements AutoCloseable {
  private static final Pattern READY = Pattern.compile(".*mongodb://127\\.0\\.0\\.1:(\\d+)/.*");

  private final Process process;
  private final Path errors;
  private final int port;

  private ServerProcess(Process process, Path errors, int port) {
    this.process = process;
    this.errors = errors;
    this.port = port;
  }

  /**
   * @param directory gets the data and what the server says
   * @param flags of the virtual machine, such as {@code -Xmx128m}
   */
  static ServerProcess start(Path directory, List<String> flags, String... options)
      throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(each -> each.startsWith("--") || each.startsWith("-Dchronicle"))
        .forEach(command::add);
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(
        List.of("--port=0", "--console-port=off", "--data=" + directory.resolve("data")));
    command.addAll(List.of(options));
    Path errors = directory.resolve("errors.log");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    return new ServerProcess(process, errors, awaitReady(process));
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

  int port() {
    return port;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it said on standard error. */
  String errors() throws IOException {
    return java.nio.file.Files.readString(errors);
  }

  /** A client; {@code login} is empty or {@code user:password@}. */
  MongoClient client(String login) {
    return MongoClients.create(
        "mongodb://%s127.0.0.1:%d/?serverSelectionTimeoutMS=20000".formatted(login, port));
  }

  /** Ends it at once, as kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
