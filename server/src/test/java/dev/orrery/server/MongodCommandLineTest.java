package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MongodCommandLineTest {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void usualOptionsBecomeOurs() {
    assertThat(
            translate(
                "--port",
                "0",
                "--dbpath",
                "/tmp/db",
                "--bind_ip",
                "127.0.0.1,localhost",
                "--storageEngine=wiredTiger",
                "--noauth",
                "--setParameter",
                "enableTestCommands=1",
                "--replSet",
                "rs0"))
        .containsExactly(
            "--console-port=off",
            "--port=0",
            "--replica-set=rs0",
            "--data=/tmp/db",
            "--bind=127.0.0.1");
    assertThat(translate("--storageEngine", "ephemeralForTest", "--auth", "--bind_ip_all"))
        .containsExactly("--console-port=off", "--ephemeral", "--bind=0.0.0.0", "--auth");
    assertThat(translate("--bind_ip", "::,0.0.0.0", "--dbpath=d"))
        .containsExactly("--console-port=off", "--data=d", "--bind=0.0.0.0", "--insecure");
  }

  @Test
  void whatCannotBeHonouredIsRefused() {
    assertThatThrownBy(() -> translate("--shardsvr"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("--shardsvr is not known here");
    assertThatThrownBy(() -> translate("--port")).hasMessage("--port needs a value");
    assertThatThrownBy(() -> translate("--bind_ip", "10.0.0.1,10.0.0.2"))
        .hasMessageContaining("takes one address");
    assertThatThrownBy(() -> translate("db")).hasMessage("unexpected argument 'db'");
  }

  @Test
  void theVersionIsThatOfMongod() {
    assertThat(translate("--version")).isNull();
    assertThat(out.toString(StandardCharsets.UTF_8)).matches("(?s)db version v7\\.0\\.\\d+\n.*");
  }

  @Test
  void whoWaitsForConnectionsIsServed() throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("--") || flag.startsWith("-Dsun.misc.unsafe."))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("dev.orrery.server.Main", "mongod", "--port", "0", "--dbpath"));
    Path log = directory.resolve("logs/mongod.log");
    command.addAll(List.of(directory.resolve("db").toString(), "--replSet", "rs0"));
    command.addAll(List.of("--logpath", log.toString(), "--nojournal", "--nohttpinterface"));
    Process process = new ProcessBuilder(command).start();
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.readLine()).contains("Transition to primary complete");
      BsonDocument ready = BsonDocument.parse(output.readLine());
      assertThat(ready.getString("msg").getValue()).isEqualTo("Waiting for connections");
      int port = ready.getDocument("attr").getInt32("port").getValue();
      try (MongoClient client =
          MongoClients.create("mongodb://127.0.0.1:" + port + "/?replicaSet=rs0")) {
        Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
        assertThat(hello.getString("setName")).isEqualTo("rs0");
        initiate(client, hello.getString("me"));
      }
      assertThat(Files.readString(log)).contains("Waiting for connections");
      process.toHandle().destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  /** As tools do that start a mongod. */
  private static void initiate(MongoClient client, String host) {
    var member = new Document("_id", 0).append("host", host);
    assertRefused(client, new Document("_id", "rs1"), 93);
    assertRefused(client, new Document("members", List.of(member, member)), 93);
    var config = new Document("_id", "rs0").append("members", List.of(member));
    client.getDatabase("admin").runCommand(new Document("replSetInitiate", config));
    assertRefused(client, config, 23);
  }

  private static void assertRefused(MongoClient client, Document config, int code) {
    assertThatThrownBy(
            () -> client.getDatabase("admin").runCommand(new Document("replSetInitiate", config)))
        .isInstanceOfSatisfying(
            MongoCommandException.class, refused -> assertThat(refused.getCode()).isEqualTo(code));
  }

  private List<String> translate(String... arguments) {
    return new MongodCommandLine(new PrintStream(out, true, StandardCharsets.UTF_8))
        .translate(arguments);
  }
}
