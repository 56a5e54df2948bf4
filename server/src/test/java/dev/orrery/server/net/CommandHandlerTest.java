package dev.orrery.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.command.diagnostic.ConcernDefaults;
import dev.orrery.server.command.diagnostic.RecentLog;
import dev.orrery.server.command.diagnostic.Services;
import dev.orrery.server.command.diagnostic.StandardCommands;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.throughput.Metering;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The commands through a socket and the Java driver. */
class CommandHandlerTest {
  private final Sessions sessions = new Sessions(Clock.systemUTC());
  private final NetworkMeters meters = new NetworkMeters();
  private NetServer server;

  @BeforeEach
  void start() throws IOException {
    Clock clock = Clock.systemUTC();
    var metrics = new CommandMetrics();
    var services =
        new Services(
            ServerFacts.starting("test", 100, clock),
            sessions,
            new ClusterClock(clock),
            metrics,
            meters,
            new ServerParameters(),
            new RecentLog(),
            () -> {},
            Security.open(),
            new Operations(),
            new CursorRegistry(() -> 0, () -> 1),
            ConcernDefaults.passing());
    var parts =
        new Dispatcher.Parts(
            StandardCommands.table(services, List.of()),
            sessions,
            services.clusterClock(),
            AccessControl.OPEN,
            metrics,
            Metering.unlimited(),
            new Operations());
    var dispatcher = new Dispatcher(parts, Runnable::run, System::nanoTime);
    server =
        NetServer.start(
            new NetServer.Options("127.0.0.1", 0, 1, 100), new CommandHandler(dispatcher, meters));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private MongoClient client(String options) {
    return MongoClients.create(
        "mongodb://127.0.0.1:" + server.address().getPort() + "/?" + options);
  }

  @Test
  void theDriverFindsThePrimaryOfTheSetAndRunsCommandsInASession() {
    try (MongoClient client = client("replicaSet=globaldb")) {
      MongoDatabase admin = client.getDatabase("admin");
      try (ClientSession session = client.startSession()) {
        Document reply = admin.runCommand(session, new Document("ping", 1));
        assertThat(reply).containsKeys("ok", "operationTime");
        assertThat(session.getOperationTime()).isNotNull();
      }
      assertThat(admin.runCommand(new Document("buildInfo", 1))).containsKey("buildEnvironment");
      assertThat(sessions.count()).isEqualTo(1);
    }
    assertThat(sessions.count()).isZero(); // the driver ended it
  }

  @Test
  void theDriverCompressesWhenAsked() {
    for (String compressor : List.of("snappy", "zlib", "zstd")) {
      try (MongoClient client = client("compressors=" + compressor)) {
        assertThat(client.getDatabase("admin").runCommand(new Document("ping", 1)))
            .containsEntry("ok", 1.0);
      }
    }
  }

  @Test
  void anUnknownCommandLeavesTheConnectionOpen() {
    try (MongoClient client = client("maxPoolSize=1")) {
      MongoDatabase admin = client.getDatabase("admin");
      assertThatThrownBy(() -> admin.runCommand(new Document("atlasVersion", 1)))
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("no such command: 'atlasVersion'");
      Document status = admin.runCommand(new Document("serverStatus", 1));
      assertThat(status.get("connections", Document.class).getInteger("current")).isPositive();
      assertThat(status.get("network", Document.class).getLong("bytesOut")).isPositive();
    }
  }
}
