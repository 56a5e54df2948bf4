package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import dev.orrery.server.transfer.RecordCommandLine;
import dev.orrery.server.transfer.ReplayCommandLine;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.server.workload.WorkloadReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code recordWorkload}, {@code orrery record} and {@code orrery replay}. */
final class RecordReplayTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private final PipedOutputStream enter = new PipedOutputStream();

  private Console console() throws IOException {
    return new Console(
        new PipedInputStream(enter), new PrintStream(out), new PrintStream(errors), false);
  }

  private static Document record(MongoClient client, String fields) {
    return client
        .getDatabase("admin")
        .runCommand(Document.parse("{recordWorkload: " + fields + "}"));
  }

  /** Every kind of request; what it leaves follows from what it found. */
  private static void work(MongoClient client) {
    MongoCollection<Document> things = client.getDatabase("db").getCollection("things");
    var many = new ArrayList<Document>();
    for (int i = 0; i < 300; i++) {
      many.add(new Document("_id", i).append("k", i % 7).append("text", "x".repeat(i * 3)));
    }
    things.insertMany(many);
    things.updateMany(Filters.eq("k", 3), Updates.inc("n", 2));
    things.deleteMany(Filters.and(Filters.eq("k", 4), Filters.lt("_id", 100)));
    things.findOneAndUpdate(Filters.eq("k", 5), Updates.set("found", true));
    assertThat(things.find().batchSize(50).into(new ArrayList<>())).hasSizeGreaterThan(200);
    assertThat(things.countDocuments(Filters.eq("k", 3))).isPositive();
    assertThat(things.distinct("k", Integer.class).into(new ArrayList<>())).hasSize(7);
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      things.insertOne(session, new Document("_id", "committed"));
      session.commitTransaction();
      session.startTransaction();
      things.insertOne(session, new Document("_id", "aborted"));
      session.abortTransaction();
    }
  }

  private List<RecordedRequest> read(Path file) throws IOException {
    var requests = new ArrayList<RecordedRequest>();
    try (var reader = new WorkloadReader(Files.newInputStream(file))) {
      for (var next = reader.next(); next != null; next = reader.next()) {
        requests.add(next);
      }
    }
    return requests;
  }

  @Test
  void whatIsReplayedLeavesWhatTheRecordedRequestsLeft() throws Exception {
    Path file = directory.resolve("things.workload");
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      String uri = "mongodb://127.0.0.1:" + server.port();
      Console console = console();
      CompletableFuture<Integer> recording =
          CompletableFuture.supplyAsync(
              () ->
                  new RecordCommandLine(console).run(file.toString(), "--uri", uri, "--db", "db"));
      while (!record(client, "'status'").getBoolean("recording")) {
        assertThat(recording).isNotDone();
      }
      work(client);
      client.getDatabase("other").getCollection("c").insertOne(new Document());
      enter.write('\n');
      enter.flush();
      assertThat(recording.get()).isZero();
      assertThat(record(client, "'list'").getList("workloads", String.class)).isEmpty();

      List<RecordedRequest> requests = read(file);
      assertThat(requests)
          .extracting(request -> request.target().command())
          .containsSubsequence(
              "insert",
              "update",
              "delete",
              "findAndModify",
              "find",
              "getMore",
              "aggregate",
              "distinct",
              "insert",
              "commitTransaction",
              "insert",
              "abortTransaction");
      assertThat(requests).allMatch(request -> request.target().database().matches("db|admin"));
      assertThat(Files.size(file)).isLessThan(30_000); // of 130 KB of texts

      int code =
          new ReplayCommandLine(console)
              .run(file.toString(), "--uri", uri, "--speed", "0", "--ns", "db.things=db.again");

      assertThat(code).isZero();
      assertThat(out.toString(StandardCharsets.UTF_8))
          .contains(requests.size() + " requests sent")
          .contains("0 refused")
          .doesNotContain("failed with");
      MongoDatabase db = client.getDatabase("db");
      assertThat(shapes(db, "again")).isEqualTo(shapes(db, "things"));
    }
  }

  /** Documents without their texts, of which only the length must be the same. */
  private static List<Document> shapes(MongoDatabase db, String name) {
    var shapes = new ArrayList<Document>();
    for (Document document : db.getCollection(name).find().sort(new Document("_id", 1))) {
      String text = document.getString("text");
      shapes.add(document.append("text", text == null ? -1 : text.length()));
    }
    return shapes;
  }

  @Test
  void itTellsWhatRequestsCostAndWhatFailed() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase db = client.getDatabase("db");
      db.runCommand(
          Document.parse(
              "{customAction: 'CreateCollection', collection: 'c', shardKey: 'k',"
                  + " offerThroughput: 400}"));
      record(client, "'start', name: 'w'");
      assertThatThrownBy(() -> record(client, "'start', name: 'x'"))
          .hasMessageContaining("stop it");
      assertThatThrownBy(() -> record(client, "'read', name: 'w'"))
          .hasMessageContaining("is being recorded");
      db.getCollection("c").insertOne(Document.parse("{_id: 1, k: 'a'}"));
      double price =
          db.runCommand(Document.parse("{getLastRequestStatistics: 1}")).getDouble("RequestCharge");
      String large = "x".repeat(1 << 20); // as dear as a second and a half
      db.getCollection("c").insertOne(new Document("k", "b").append("text", large));
      assertThatThrownBy(() -> db.getCollection("c").insertOne(new Document("k", "b")))
          .hasMessageContaining("16500");
      Document status = record(client, "'stop'");
      assertThat(status.getLong("requests")).isEqualTo(3);
      assertThat(status.getLong("leftOut")).isZero();
      assertThatThrownBy(() -> record(client, "'stop'")).hasMessageContaining("no workload");
      var part = record(client, "'read', name: 'w'");
      Path file = directory.resolve("w");
      Files.write(file, part.get("data", org.bson.types.Binary.class).getData());
      List<RecordedRequest> requests = read(file);
      assertThat(requests).hasSize(3);
      assertThat(requests.get(0).outcome().twentyFirsts() / 21.0).isEqualTo(price);
      assertThat(requests.get(2).outcome().refusals()).isEqualTo(1);
      record(client, "'drop', name: 'w'");
      assertThatThrownBy(() -> record(client, "'read', name: 'w'"))
          .hasMessageContaining("there is no workload");
      assertThatThrownBy(() -> record(client, "'start', name: '../w'"))
          .hasMessageContaining("needs a name");
    }
  }

  @Test
  void aFullFileTakesNoMore() {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      record(client, "'start', name: 'small', maxBytes: 65536");
      MongoCollection<Document> things = client.getDatabase("db").getCollection("things");
      var random = new java.util.Random(1);
      int sent = 0;
      while (!record(client, "'status'").getBoolean("full")) {
        assertThat(++sent).isLessThan(5_000);
        byte[] noise = new byte[250];
        random.nextBytes(noise);
        things.insertOne(new Document("noise", noise));
      }
      things.insertOne(new Document());
      Document status = record(client, "'stop'");
      assertThat(status.getLong("bytes")).isBetween(65_536L, 65_536L + 150_000);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
