package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.CreateCollectionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever one connection asks for, the others are answered meanwhile. */
@Tag("embedded") // measures time, and reads much
@Timeout(300)
class BusyLoopsTest {
  private static final long MILLIS_MAX = 2_000;

  @TempDir Path directory;

  @Test
  void largeRequestsHoldNobodyUp() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory);
        MongoClient client = server.client("", "");
        var pings = new Pings(server)) {
      MongoCollection<Document> collection = client.getDatabase("test").getCollection("c");
      collection.insertOne(new Document("_id", 1).append("a", 1));
      collection.createIndex(new Document("a", 1));
      List<Integer> many = IntStream.range(0, 100_000).boxed().toList();
      pings.during("$in", MILLIS_MAX, () -> collection.find(new Document("a", in(many))).first());
      List<Document> some =
          many.subList(0, 15_000).stream().map(i -> new Document("a", i)).toList();
      pings.during("$or", MILLIS_MAX, () -> collection.find(new Document("$or", some)).first());
      pings.during(
          "an update",
          MILLIS_MAX,
          () -> collection.updateOne(new Document("a", in(many)), set("b", 1)));
      pings.during(
          "a deletion", MILLIS_MAX, () -> collection.deleteOne(new Document("a", in(many))));
    }
  }

  private static Document in(List<Integer> values) {
    return new Document("$in", values);
  }

  private static Document set(String field, Object value) {
    return new Document("$set", new Document(field, value));
  }

  @Test
  void aLargeDocumentHoldsNobodyUp() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory);
        MongoClient client = server.client("", "");
        var pings = new Pings(server)) {
      MongoCollection<Document> collection = client.getDatabase("test").getCollection("c");
      collection.createIndex(new Document("$**", 1));
      var large = new Document("_id", 1);
      for (int i = 0; i < 200_000; i++) {
        large.append("field" + i, i);
      }
      pings.during("an insert", MILLIS_MAX, () -> collection.insertOne(large));
      Document first = new Document("_id", 1);
      pings.during(
          "an update", MILLIS_MAX, () -> collection.updateOne(first, set("field7", "other")));
      pings.during("a find", MILLIS_MAX, () -> collection.find(first).first());
      pings.during("a replacement", MILLIS_MAX, () -> collection.replaceOne(first, first));
      assertThat(collection.countDocuments(new Document("field7", "other"))).isZero();
    }
  }

  @Test
  void cappedInsertsDuringAnIndexBuildHoldNobodyUp() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory);
        MongoClient client = server.client("", "");
        var pings = new Pings(server)) {
      MongoDatabase database = client.getDatabase("test");
      database.createCollection(
          "capped", new CreateCollectionOptions().capped(true).sizeInBytes(512 << 20));
      MongoCollection<Document> capped = database.getCollection("capped");
      for (int i = 0; i < 60; i++) {
        var documents = new ArrayList<Document>();
        for (int n = 0; n < 1_000; n++) {
          documents.add(new Document("a", n).append("b", i).append("c", List.of(n, i, n + i)));
        }
        capped.insertMany(documents);
      }
      pings.during(
          "an index build",
          MILLIS_MAX,
          () -> {
            var build =
                CompletableFuture.runAsync(
                    () -> capped.createIndex(Document.parse("{c: 1, a: 1}")));
            int inserts = 0;
            for (; !build.isDone(); inserts++) {
              capped.insertOne(new Document("late", inserts));
            }
            build.join();
            assertThat(capped.countDocuments(Document.parse("{late: {$exists: true}}")))
                .isEqualTo(inserts);
          });
    }
  }

  @Test
  void expressionsHoldNobodyUp() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory);
        MongoClient client = server.client("", "");
        var pings = new Pings(server)) {
      MongoDatabase database = client.getDatabase("test");
      MongoCollection<Document> collection = database.getCollection("c");
      collection.insertOne(new Document("_id", 1).append("n", 2_000_000));
      String sum =
          "{$reduce: {input: {$range: [0, %s]}, initialValue: 0, in: {$add: ['$$value', 1]}}}";
      String constant = sum.formatted(2_000_000);
      String variable = sum.formatted("'$n'");
      List<String> commands =
          List.of(
              "{find: 'c', filter: {_id: 1, $expr: {$gt: [%s, 1]}}}".formatted(constant),
              "{find: 'c', filter: {_id: 1, $expr: {$gt: [%s, 1]}}}".formatted(variable),
              "{find: 'c', filter: {_id: 1}, projection: {s: %s}}".formatted(variable),
              "{find: 'c', filter: {_id: 1}, let: {s: %s}}".formatted(constant),
              "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {s: %s}}]}]}".formatted(variable),
              "{delete: 'c', deletes: [{q: {_id: 1, $expr: {$lt: [%s, 1]}}, limit: 1}]}"
                  .formatted(variable),
              "{findAndModify: 'c', query: {_id: 1}, update: {$set: {t: 1}}, fields: {s: %s}}"
                  .formatted(variable));
      for (String command : commands) {
        pings.during(
            command,
            MILLIS_MAX,
            () -> {
              try {
                database.runCommand(Document.parse(command));
              } catch (MongoCommandException refused) {
                // a limit of the language; what counts is that the others were answered
              }
            });
      }
    }
  }

  @Test
  void aPartitionThatMustBeRebuiltHoldsNobodyUp() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory);
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> collection = client.getDatabase("test").getCollection("c");
      collection.createIndex(Document.parse("{a: 1, b: 1}"));
      for (int i = 0; i < 60; i++) {
        var documents = new ArrayList<Document>();
        for (int n = 0; n < 1_000; n++) {
          documents.add(new Document("_id", i * 1_000 + n).append("a", n).append("b", i));
        }
        collection.insertMany(documents);
      }
    }
    try (var files = Files.walk(directory.resolve("partitions"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    try (TestServer server = TestServer.start("--data=" + directory);
        MongoClient client = server.client("", "");
        var pings = new Pings(server)) {
      MongoCollection<Document> collection = client.getDatabase("test").getCollection("c");
      pings.during(
          "a point read",
          MILLIS_MAX,
          () -> assertThat(collection.find(new Document("_id", 4_711)).first()).isNotNull());
      assertThat(collection.countDocuments()).isEqualTo(60_000);
    }
  }
}
