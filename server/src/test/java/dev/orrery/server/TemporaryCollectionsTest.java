package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Collections that are made on the way to others do not outlive the way. */
final class TemporaryCollectionsTest {
  private static final String LIKE_OURS = "tmp.agg_out.9f3c6d9e-3f0a-4a55-9a57-0b5f5d7b1e11";
  private static final Document SLOW =
      Document.parse(
          "{$set: {n: {$reduce: {input: {$range: [0, 400]}, initialValue: 0,"
              + " in: {$add: ['$$value', '$$this']}}}}}");

  @TempDir private Path directory;

  private static void fill(MongoDatabase database) {
    database
        .getCollection("c")
        .insertMany(IntStream.range(0, 20_000).mapToObj(i -> new Document("_id", i)).toList());
    database.getCollection("o").insertOne(new Document("_id", "old"));
    database.getCollection(LIKE_OURS).insertOne(new Document("_id", "a user's"));
  }

  private static List<String> names(MongoDatabase database) {
    return database.listCollectionNames().into(new ArrayList<>()).stream().sorted().toList();
  }

  @Test
  @Timeout(120)
  void aKillInTheMidstOfAnOutLeavesTheTargetAndNothingElse() throws Exception {
    try (var server = ServerProcess.start(directory, List.of());
        MongoClient client = server.client("")) {
      MongoDatabase database = client.getDatabase("db");
      fill(database);
      var out = new Thread(() -> outIgnoringTheEnd(database));
      out.start();
      while (names(database).size() < 4) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
      Document temporary =
          database.listCollections().into(new ArrayList<>()).stream()
              .filter(one -> one.getString("name").startsWith("tmp."))
              .filter(one -> !one.getString("name").equals(LIKE_OURS))
              .findFirst()
              .orElseThrow();
      assertThat(temporary.get("options", Document.class).getBoolean("temp")).isTrue();
      server.kill();
      out.join();
    }
    try (var server = ServerProcess.start(directory, List.of());
        MongoClient client = server.client("")) {
      MongoDatabase database = client.getDatabase("db");
      assertThat(names(database)).containsExactly("c", "o", LIKE_OURS);
      assertThat(database.getCollection("o").find().first()).containsEntry("_id", "old");
      database.getCollection("c").aggregate(List.of(Document.parse("{$out: 'o'}"))).toCollection();
      assertThat(database.getCollection("o").countDocuments()).isEqualTo(20_000);
      server.kill();
    }
    try (var server = ServerProcess.start(directory, List.of());
        MongoClient client = server.client("")) {
      MongoDatabase database = client.getDatabase("db");
      assertThat(names(database)).containsExactly("c", "o", LIKE_OURS);
      assertThat(database.getCollection("o").countDocuments()).isEqualTo(20_000);
      server.kill();
    }
  }

  private static void outIgnoringTheEnd(MongoDatabase database) {
    assertThatThrownBy(
            () ->
                database
                    .getCollection("c")
                    .aggregate(List.of(SLOW, Document.parse("{$out: 'o'}")))
                    .toCollection())
        .isInstanceOf(MongoException.class);
  }

  @Test
  void anOutThatFailsOrIsGivenUpDropsItAtOnce() throws IOException {
    try (var server = TestServer.start("--data=" + directory.resolve("data"));
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      fill(database);
      var fails = Document.parse("{$set: {n: {$divide: [1, {$subtract: ['$_id', 5000]}]}}}");
      for (List<Document> pipeline :
          List.of(
              List.of(fails, Document.parse("{$out: 'o'}")),
              List.of(Document.parse("{$set: {_id: 1}}"), Document.parse("{$out: 'o'}")))) {
        assertThatThrownBy(() -> database.getCollection("c").aggregate(pipeline).toCollection())
            .isInstanceOf(MongoException.class);
        assertThat(names(database)).containsExactly("c", "o", LIKE_OURS);
      }
      assertThatThrownBy(
              () ->
                  database
                      .getCollection("c")
                      .aggregate(List.of(SLOW, Document.parse("{$out: 'o'}")))
                      .maxTime(50, TimeUnit.MILLISECONDS)
                      .toCollection())
          .isInstanceOf(MongoException.class);
      assertThat(names(database)).containsExactly("c", "o", LIKE_OURS);
    }
  }
}
