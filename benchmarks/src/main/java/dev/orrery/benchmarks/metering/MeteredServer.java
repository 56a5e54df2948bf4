package dev.orrery.benchmarks.metering;

import dev.orrery.benchmarks.Options;
import dev.orrery.benchmarks.servers.ServerProcess;
import dev.orrery.server.net.NetServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A server that listens twice over the same documents: who comes by one port is counted, who comes
 * by the other is not. In one process, so that both run the same compiled code.
 */
public final class MeteredServer {
  /** What starts it, by the benchmark that needs it: the jar opens packages for storage. */
  public static final String NAME = "metered-server";

  private static final String UNCOUNTED_PORT = "uncounted-port";
  private static final int CONNECTIONS_MAX = 1000;

  private MeteredServer() {}

  /** Announces the port that counts. */
  public static void run(Options options) throws IOException {
    Path directory = options.path("directory", "");
    var server = new DispatchedServer(directory.resolve("data"));
    server.fill(options.number("documents", 0));
    int counted = listen(server, true);
    Files.writeString(portFile(directory), Integer.toString(listen(server, false)));
    ServerProcess.announce(counted);
  }

  /** Where the other port is written before the first is announced. */
  static Path portFile(Path directory) {
    return directory.resolve(UNCOUNTED_PORT);
  }

  private static int listen(DispatchedServer server, boolean isCounted) throws IOException {
    String host = InetAddress.getLoopbackAddress().getHostAddress();
    var options = new NetServer.Options(host, 0, 0, CONNECTIONS_MAX);
    return NetServer.start(options, server.handler(isCounted)).address().getPort();
  }
}
