package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.orrery.language.limit.MemoryBudget;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.bson.Document;

/** A whole server in this process, on any free port, and clients for it. */
final class TestServer implements AutoCloseable {
  private final MongoServer server;
  private final MemoryBudget memory;

  private TestServer(MongoServer server, MemoryBudget memory) {
    this.server = server;
    this.memory = memory;
  }

  /** Without data of its own unless the arguments name a directory. */
  static TestServer start(String... arguments) throws IOException {
    boolean hasData = Arrays.stream(arguments).anyMatch(each -> each.startsWith("--data"));
    String[] all =
        Stream.concat(
                Stream.of("--port=0", hasData ? "--log-level=warn" : "--ephemeral"),
                Arrays.stream(arguments))
            .toArray(String[]::new);
    var config =
        CommandLineParser.config(new CommandLineParser("1", System.out).parse(all), Map.of());
    var backend = new AtomicReference<EngineBackend>();
    var server =
        MongoServer.start(
            config,
            (c, data) -> {
              backend.set(EngineBackend.open(c, data, () -> {}));
              return backend.get();
            });
    return new TestServer(server, backend.get().memory());
  }

  /** What requests, cursors and messages hold. */
  MemoryBudget memory() {
    return memory;
  }

  int port() {
    return server.address().getPort();
  }

  /** How often an event loop stood still. */
  long stalls() {
    return server.stalls();
  }

  /** A client; {@code login} is empty or {@code user:password@}. */
  MongoClient client(String login, String options) {
    return MongoClients.create(
        "mongodb://%s127.0.0.1:%d/?serverSelectionTimeoutMS=20000&%s"
            .formatted(login, port(), options));
  }

  /** Makes the first user, who may do everything. */
  void createRoot() {
    try (MongoClient client = client("", "")) {
      client
          .getDatabase("admin")
          .runCommand(Document.parse("{createUser: 'root', pwd: 'secret', roles: ['root']}"));
    }
  }

  @Override
  public void close() {
    server.close();
    for (MemoryBudget.Use use : MemoryBudget.Use.values()) {
      assertThat(memory.usedBytes(use)).as("%s: memory not given back", use).isZero();
    }
  }
}
