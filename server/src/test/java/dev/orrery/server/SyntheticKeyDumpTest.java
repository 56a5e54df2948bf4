package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import dev.orrery.server.transfer.ExportCommandLine;
import dev.orrery.server.transfer.ImportCommandLine;
import dev.orrery.server.transfer.source.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key that the server makes outlives it, and goes with dumps. */
final class SyntheticKeyDumpTest {
  private static final Document DEFINITION = Document.parse("{pk: {$randomSuffix: ['$day', 30]}}");

  @TempDir Path directory;

  private final ByteArrayOutputStream told = new ByteArrayOutputStream();

  private Console console() {
    var out = new PrintStream(told, true, StandardCharsets.UTF_8);
    return new Console(new ByteArrayInputStream(new byte[0]), out, out, false);
  }

  private static String uri(TestServer server) {
    return "--uri=mongodb://127.0.0.1:" + server.port() + "/";
  }

  private static List<Document> documents(MongoDatabase database) {
    return database.getCollection("r").find().sort(new Document("_id", 1)).into(new ArrayList<>());
  }

  private static void requireWorking(MongoDatabase database, int id) {
    Document listed = database.listCollections().first();
    assertThat(listed.get("options", Document.class).get("synthetic")).isEqualTo(DEFINITION);
    var readings = database.getCollection("r");
    readings.insertOne(new Document("_id", id).append("day", "june"));
    var filter = new Document("day", "june").append("_id", id);
    assertThat(readings.find(filter).first().getString("pk")).startsWith("june.");
    Document planner =
        readings.find(new Document("day", "june")).explain().get("queryPlanner", Document.class);
    assertThat(planner.get("synthetic", Document.class).getInteger("numValues")).isEqualTo(30);
    readings.deleteOne(filter);
  }

  @Test
  void itIsThereAfterARestartAndInADump() throws IOException {
    String data = "--data=" + directory.resolve("data");
    String dump = directory.resolve("dump").toString();
    List<Document> before;
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "")) {
      client
          .getDatabase("admin")
          .runCommand(
              new Document("shardCollection", "one.r")
                  .append("key", new Document("pk", "hashed"))
                  .append("synthetic", DEFINITION)
                  .append("numInitialChunks", 8));
      var many = new ArrayList<Document>();
      for (int i = 0; i < 100; i++) {
        many.add(new Document("_id", i).append("day", "may"));
      }
      client.getDatabase("one").getCollection("r").insertMany(many);
      before = documents(client.getDatabase("one"));
      requireWorking(client.getDatabase("one"), 1000);
    }
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "")) {
      assertThat(documents(client.getDatabase("one"))).isEqualTo(before);
      requireWorking(client.getDatabase("one"), 1001);
      assertThat(
              new ExportCommandLine(console(), "test")
                  .run("--db=one", "--out=" + dump, uri(server)))
          .as(told.toString(StandardCharsets.UTF_8))
          .isZero();
    }
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      assertThat(new ImportCommandLine(console(), Clock.systemUTC()).run(uri(server), dump))
          .as(told.toString(StandardCharsets.UTF_8))
          .isZero();
      assertThat(documents(client.getDatabase("one"))).isEqualTo(before);
      requireWorking(client.getDatabase("one"), 1002);
    }
  }
}
