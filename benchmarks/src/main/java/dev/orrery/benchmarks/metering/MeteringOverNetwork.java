package dev.orrery.benchmarks.metering;

import dev.orrery.benchmarks.client.LeanClient;
import dev.orrery.benchmarks.client.LoadClient;
import dev.orrery.benchmarks.client.Template;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.report.Turns;
import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.ServerProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * What accounting costs as a client sees it: point reads over 64 connections, to a server of its
 * own process, whose CPU time is compared.
 */
final class MeteringOverNetwork {
  private static final int CONNECTIONS = 64;
  private static final int MESSAGES = 4096;
  private static final int REPLY_BYTES_MIN = 900;

  private final int documents;
  private final int reads;
  private final int rounds;
  private final int warmups;

  MeteringOverNetwork(int documents, int reads, int rounds, int warmups) {
    this.documents = documents;
    this.reads = reads;
    this.rounds = rounds;
    this.warmups = warmups;
  }

  /** Random finds, made before. */
  private final class Finds implements Traffic {
    private final Template[] messages = new Template[MESSAGES];
    private int next;
    private int bytes;

    Finds(DispatchedServer.Kind kind) {
      var random = new Random(7);
      for (int i = 0; i < MESSAGES; i++) {
        messages[i] = Template.of(kind.find(random.nextInt(documents)));
        bytes = Math.max(bytes, messages[i].length());
      }
    }

    @Override
    public int next(int connection, ByteBuffer message) {
      messages[next++ % MESSAGES].copyTo(message);
      return REPLY_BYTES_MIN;
    }

    @Override
    public int messageBytes() {
      return bytes;
    }
  }

  void run() throws IOException {
    Path directory = Files.createTempDirectory("orrery-metering");
    try (var process = ServerProcess.start(command(directory))) {
      int port = Integer.parseInt(Files.readString(MeteredServer.portFile(directory)));
      var other = new InetSocketAddress(process.address().getHostString(), port);
      System.out.println(
          "| point reads over the network | ns of CPU each, counted | not counted | ratio |");
      System.out.println("|---|---|---|---|");
      try (var counted = new LeanClient(process.address(), CONNECTIONS);
          var uncounted = new LeanClient(other, CONNECTIONS)) {
        for (var kind : DispatchedServer.Kind.values()) {
          var finds = new Finds(kind);
          var turns = new Turns(rounds, warmups);
          turns.run(isCounted -> nanosPerRead(process, isCounted ? counted : uncounted, finds));
          System.out.println(turns.row(kind.title()));
        }
      }
    } finally {
      DispatchedServer.delete(directory);
    }
  }

  private List<String> command(Path directory) {
    return List.of(
        "-Dsun.misc.unsafe.memory.access=allow",
        "-Dorrery.log.level=error",
        "-jar",
        System.getProperty("java.class.path"),
        MeteredServer.NAME,
        "--directory=" + directory,
        "--documents=" + documents);
  }

  private double nanosPerRead(ServerProcess server, LoadClient client, Finds finds)
      throws IOException {
    long start = ProcessUsage.cpuNanos(server.pid());
    var load = client.run(finds, LoadClient.Limit.requests(reads));
    return (double) (ProcessUsage.cpuNanos(server.pid()) - start) / load.requests();
  }
}
