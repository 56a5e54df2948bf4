package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

final class ConnectionsTest {
  private static final int OPENED_AND_CLOSED = 1_000;
  private static final int HELD = 500;

  /** Workers and event loops that had nothing to do before, and the virtual machine's own. */
  private static final long FURTHER_THREADS_MAX = 40;

  private static final long KILOBYTES_PER_HELD_CONNECTION_MAX = 256;

  @Test
  @EnabledOnOs(OS.LINUX)
  void connectionsCostNeitherAThreadNorMuchMemoryEach() throws IOException {
    var held = new ArrayList<WireClient>();
    try (var server = PackagedServer.ephemeral();
        var observer = new WireClient(server.port())) {
      for (int i = 0; i < OPENED_AND_CLOSED; i++) {
        try (var client = new WireClient(server.port())) {
          ping(client);
        }
      }
      long threadsBefore = processStatus(server, "Threads");
      long memoryBefore = processStatus(server, "VmRSS");
      for (int i = 0; i < HELD; i++) {
        var client = new WireClient(server.port());
        held.add(client);
        ping(client);
      }
      BsonDocument connections = connections(observer);
      long threads = processStatus(server, "Threads") - threadsBefore;
      long memory = processStatus(server, "VmRSS") - memoryBefore;
      System.out.printf("%d connections took %d threads, %d kB%n", HELD, threads, memory);

      assertThat(connections.getInt32("current").getValue()).isGreaterThan(HELD);
      assertThat(connections.getInt32("totalCreated").getValue())
          .isEqualTo(1 + OPENED_AND_CLOSED + HELD);
      assertThat(threads).isLessThanOrEqualTo(FURTHER_THREADS_MAX);
      assertThat(memory).isLessThan(HELD * KILOBYTES_PER_HELD_CONNECTION_MAX);
      for (WireClient client : held) {
        ping(client);
      }
    } finally {
      close(held);
    }
  }

  private static void ping(WireClient client) throws IOException {
    BsonDocument ping = BsonDocument.parse("{ping: 1, $db: 'admin'}");
    assertThat(client.command(ping).getNumber("ok").intValue()).isEqualTo(1);
  }

  private static BsonDocument connections(WireClient client) throws IOException {
    BsonDocument status = BsonDocument.parse("{serverStatus: 1, $db: 'admin'}");
    return client.command(status).getDocument("connections");
  }

  /** A number that Linux keeps for the process of the server. */
  private static long processStatus(PackagedServer server, String name) throws IOException {
    Path status = Path.of("/proc", Long.toString(server.pid()), "status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  private static void close(List<WireClient> clients) throws IOException {
    for (WireClient client : clients) {
      client.close();
    }
  }
}
