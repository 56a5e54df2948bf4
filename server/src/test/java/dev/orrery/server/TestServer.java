package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.command.diagnostic.RecentLog;
import dev.orrery.server.store.TestEngines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/** A whole server in this process, on any free port, and clients for it. */
final class TestServer implements AutoCloseable {
  private final MongoServer server;
  private final MemoryBudget memory;
  private final @Nullable Path own;

  private TestServer(MongoServer server, MemoryBudget memory, @Nullable Path own) {
    this.server = server;
    this.memory = memory;
    this.own = own;
  }

  /**
   * Durable as in production, with small segments of the log, in a directory that goes with it
   * unless the arguments name another one.
   */
  static TestServer start(String... arguments) throws IOException {
    boolean hasData =
        Arrays.stream(arguments)
            .anyMatch(each -> each.startsWith("--data") || each.equals("--ephemeral"));
    Path own = hasData ? null : Files.createTempDirectory("orrery-test");
    boolean hasConsole =
        Arrays.stream(arguments).anyMatch(each -> each.startsWith("--console-port"));
    String[] all =
        Stream.of(
                Stream.of("--port=0", "--limit=log-segment=1MB"),
                hasConsole ? Stream.<String>of() : Stream.of("--console-port=off"),
                own == null ? Stream.of("--log-level=warn") : Stream.of("--data=" + own),
                Arrays.stream(arguments))
            .flatMap(each -> each)
            .toArray(String[]::new);
    var config =
        CommandLineParser.config(new CommandLineParser("1", System.out).parse(all), Map.of());
    var backend = new AtomicReference<EngineBackend>();
    var server =
        MongoServer.start(
            config,
            (c, data) -> {
              backend.set(EngineBackend.open(c, data, new LoggingHost(), TestEngines::open));
              return backend.get();
            });
    return new TestServer(server, backend.get().memory(), own);
  }

  /** A process that shows what it logs, and is ended by nobody. */
  private static final class LoggingHost implements Host {
    @Override
    public void stop() {}

    @Override
    public Runnable followLog(RecentLog log) {
      return RecentLogAppender.attach(log)::detach;
    }
  }

  /** What requests, cursors and messages hold. */
  MemoryBudget memory() {
    return memory;
  }

  int port() {
    return server.address().getPort();
  }

  /** Where the console is, which must be on. */
  URI console() {
    return URI.create("http://127.0.0.1:" + server.consoleAddress().getPort());
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
    if (own != null) {
      delete(own);
    }
    for (MemoryBudget.Use use : MemoryBudget.Use.values()) {
      assertThat(memory.usedBytes(use)).as("%s: memory not given back", use).isZero();
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
