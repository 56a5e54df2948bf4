package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.net.RequestHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MongoServerTest {
  @TempDir private Path directory;

  private final List<String> events = new ArrayList<>();

  @Test
  void thePartsAreOpenedAndClosedInOrder() throws IOException {
    try (var server = MongoServer.start(config(0), this::openBackend);
        var socket = new Socket()) {
      socket.connect(server.address());
      assertThat(events).containsExactly("open");
    }
    assertThat(events).containsExactly("open", "close");
    MongoServer.start(config(0), this::openBackend).close();
  }

  @Test
  void aPortInUseClosesWhatWasOpened() throws IOException {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = other.getLocalPort();
      assertThatThrownBy(() -> MongoServer.start(config(port), this::openBackend))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot listen on 127.0.0.1:" + port);
    }
    assertThat(events).containsExactly("open", "close");
    MongoServer.start(config(0), this::openBackend).close();
  }

  @Test
  void aBackendThatCannotOpenLeavesTheDirectoryFree() throws IOException {
    MongoServer.Backend.Factory broken =
        (config, data) -> {
          throw new IOException("broken");
        };
    assertThatThrownBy(() -> MongoServer.start(config(0), broken)).hasMessage("broken");
    MongoServer.start(config(0), this::openBackend).close();
  }

  @Test
  void otherMachinesReachOnlyAServerThatIsMeantForThem() throws IOException {
    assertThatThrownBy(() -> MongoServer.start(config(0, "--bind=0.0.0.0"), this::openBackend))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "bind is '0.0.0.0', which other machines can reach: give --auth to let in users only,"
                + " or --insecure to let in everybody");
    assertThat(events).isEmpty();
    MongoServer.start(config(0, "--bind=localhost"), this::openBackend).close();
    assertThat(events).containsExactly("open", "close");
  }

  private ServerConfig config(int port, String... more) {
    var arguments =
        Stream.concat(Stream.of("--port=" + port, "--data=" + directory), Arrays.stream(more))
            .toArray(String[]::new);
    return CommandLineParser.config(
        new CommandLineParser("1", System.out).parse(arguments), Map.of());
  }

  private MongoServer.Backend openBackend(ServerConfig config, DataDirectory data) {
    events.add("open");
    return new MongoServer.Backend() {
      @Override
      public MemoryBudget memory() {
        return MemoryBudget.unlimited();
      }

      @Override
      public RequestHandler requests() {
        return (connection, request, sink) -> sink.hangUp();
      }

      @Override
      public void close() {
        events.add("close");
      }
    };
  }

  @Test
  void theFirstInsertIsCheckedByAnExpressionToo() throws Exception {
    try (TestServer server = TestServer.start();
        var connection = new RawConnection(server.port(), "127.0.0.1")) {
      connection.ask(
          org.bson.BsonDocument.parse("{create: 'c', validator: {$expr: {$gt: ['$a', 1]}}}"));
      var insert = org.bson.BsonDocument.parse("{insert: 'c', documents: [{a: 1}]}");
      for (int i = 0; i < 2; i++) {
        assertThat(connection.ask(insert).getArray("writeErrors").get(0).asDocument())
            .containsEntry("code", new org.bson.BsonInt32(121));
      }
    }
  }
}
