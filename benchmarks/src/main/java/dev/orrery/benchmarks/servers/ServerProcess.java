package dev.orrery.benchmarks.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, which ends with it. */
public final class ServerProcess implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("mongodb://([^:/]+):(\\d+)");
  private static final int STOP_SECONDS = 30;

  private final Process process;
  private final InetSocketAddress address;
  private final long nanosToReady;

  private ServerProcess(Process process, InetSocketAddress address, long nanosToReady) {
    this.process = process;
    this.address = address;
    this.nanosToReady = nanosToReady;
  }

  /** Starts the Java that runs this, and waits for the line that says where the server listens. */
  public static ServerProcess start(List<String> arguments) throws IOException {
    var command = new ArrayList<String>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(arguments);
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    BufferedReader out = process.inputReader();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher ready = READY.matcher(line);
      if (ready.find()) {
        var address = new InetSocketAddress(ready.group(1), Integer.parseInt(ready.group(2)));
        long nanos = System.nanoTime() - start;
        drain(out);
        return new ServerProcess(process, address, nanos);
      }
    }
    process.destroyForcibly();
    throw new IOException("the server did not start: " + String.join(" ", command));
  }

  /** A server that says more must not wait for somebody to listen. */
  private static void drain(BufferedReader out) {
    var thread = new Thread(() -> out.lines().forEach(line -> {}), "drain");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Starts a main class that is in the same jar as this one.
   *
   * @param jvm options of Java
   */
  static ServerProcess startMain(List<String> jvm, Class<?> main, List<String> arguments)
      throws IOException {
    var command = new ArrayList<>(jvm);
    command.addAll(List.of("-Dsun.misc.unsafe.memory.access=allow", "-Dorrery.log.level=error"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return start(command);
  }

  /** The ready line of a server in this jar. */
  public static void announce(int port) {
    String host = InetAddress.getLoopbackAddress().getHostAddress();
    System.out.println("ready: mongodb://" + host + ":" + port);
    System.out.flush();
  }

  public InetSocketAddress address() {
    return address;
  }

  public long pid() {
    return process.pid();
  }

  public long nanosToReady() {
    return nanosToReady;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
