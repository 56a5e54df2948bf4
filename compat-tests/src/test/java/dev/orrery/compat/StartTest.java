package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StartTest {
  private static final int FAILED = 1;
  private static final int MISUSED = 2;

  @TempDir private Path directory;

  @Test
  void whoReadsTheReadyLineIsServedAtOnce() throws IOException {
    long start = System.nanoTime();
    try (var server = PackagedServer.on(directory.resolve("data"));
        var client = new WireClient(server.port())) {
      long millis = (System.nanoTime() - start) / 1_000_000;
      System.out.printf("From java -jar to the first connection: %d ms%n", millis);
      assertThat(ping(client)).isEqualTo(1);
    }
  }

  @Test
  void aSecondServerOnTheSameDataIsRefusedAndTheFirstServesOn() throws IOException {
    Path data = directory.resolve("data");
    try (var first = PackagedServer.on(data)) {
      ClientProcess second = jar("--port", "0", "--console-port", "off", "--data", data.toString());
      assertThat(second.err())
          .containsExactly(
              "orrery: the data directory " + data + " is in use by another Orrery server");
      assertThat(second.out()).isEmpty();
      assertThat(second.exitCode()).isEqualTo(FAILED);
      try (var client = new WireClient(first.port())) {
        assertThat(ping(client)).isEqualTo(1);
      }
    }
  }

  @Test
  void aDirectoryIsFreeAgainWhenItsServerWasStoppedOrKilled() throws IOException {
    Path data = directory.resolve("data");
    PackagedServer.on(data).close();
    PackagedServer.on(data).kill();
    try (var server = PackagedServer.on(data);
        var client = new WireClient(server.port())) {
      assertThat(ping(client)).isEqualTo(1);
    }
  }

  @Test
  void aServerThatIsToldToStopEndsAndItsDataIsThereAfterwards() throws IOException {
    Path data = directory.resolve("data");
    try (var server = PackagedServer.on(data);
        var client = new WireClient(server.port())) {
      client.command(command("{insert: 'c', documents: [{_id: 1, a: 'kept'}], $db: 'test'}"));
      ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
      process.destroy();
      process.onExit().join();
      assertThatThrownBy(() -> ping(client)).isInstanceOf(IOException.class);
    }
    try (var server = PackagedServer.on(data);
        var client = new WireClient(server.port())) {
      BsonDocument reply = client.command(command("{find: 'c', $db: 'test'}"));
      assertThat(reply.getDocument("cursor").getArray("firstBatch"))
          .containsExactly(command("{_id: 1, a: 'kept'}"));
    }
  }

  @Test
  void anOptionThatDoesNotExistStopsTheStart() throws IOException {
    ClientProcess misused = jar("--prot", "0");
    assertThat(misused.exitCode()).isEqualTo(MISUSED);
    assertThat(misused.out()).isEmpty();
    assertThat(misused.err())
        .singleElement()
        .asString()
        .startsWith("orrery: ")
        .contains("--prot")
        .endsWith("Try --help.");
  }

  @Test
  void theJarKnowsItsVersion() throws IOException {
    ClientProcess version = jar("--version");
    assertThat(version.out()).singleElement().asString().matches("Orrery \\d+\\.\\d+\\.\\d+\\S*");
    assertThat(version.err()).isEmpty();
    assertThat(version.exitCode()).isZero();
  }

  private ClientProcess jar(String... arguments) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Path jar = Path.of("..", "server", "target", "orrery.jar").toAbsolutePath().normalize();
    var command = new ArrayList<>(List.of(java, "-jar", jar.toString()));
    command.addAll(List.of(arguments));
    return ClientProcess.run(directory, command, "");
  }

  private static int ping(WireClient client) throws IOException {
    return client.command(command("{ping: 1, $db: 'admin'}")).getNumber("ok").intValue();
  }

  private static BsonDocument command(String json) {
    return BsonDocument.parse(json);
  }
}
