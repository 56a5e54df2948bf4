package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoQueryException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command validate, with damage that comes while the server runs. */
final class ValidateTest {
  private static final int DOCUMENTS = 20_000;

  @TempDir private Path data;

  private TestServer start() throws IOException {
    return TestServer.start("--data=" + data);
  }

  private void fill() throws IOException {
    try (var server = start();
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> things = client.getDatabase("db").getCollection("things");
      things.createIndex(Document.parse("{v: 1}"));
      for (int i = 0; i < DOCUMENTS; i += 1_000) {
        var documents = new ArrayList<Document>();
        for (int j = i; j < i + 1_000; j++) {
          documents.add(new Document("_id", j).append("v", "value-" + j));
        }
        things.insertMany(documents);
      }
    }
  }

  private static void flip(Path file, long offset) throws IOException {
    try (var opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.seek(offset);
      int found = opened.read();
      opened.seek(offset);
      opened.write(found ^ 1);
    }
  }

  @Test
  @Tag("embedded") // damages files
  void aDamagedIndexIsMadeAnewWhileTheServerRuns() throws IOException {
    fill();
    try (var server = start();
        MongoClient client = server.client("", "")) {
      var database = client.getDatabase("db");
      MongoCollection<Document> things = database.getCollection("things");
      assertThat(things.countDocuments(Document.parse("{v: 'value-7'}"))).isEqualTo(1);
      for (int page = 2; page < 40; page++) {
        flip(data.resolve("partitions/1-0/index-1"), page * 4096L + 1000);
      }
      Document checked = database.runCommand(Document.parse("{validate: 'things'}"));
      assertThat(checked.getBoolean("valid")).isFalse();
      assertThat(checked.getBoolean("repaired")).isFalse();
      assertThat(checked.getString("advice")).contains("repair: true");
      assertThat(checked.getList("errors", String.class)).isNotEmpty();

      Document repaired =
          database.runCommand(Document.parse("{validate: 'things', repair: true, full: true}"));
      assertThat(repaired.getBoolean("valid")).as(repaired.toJson()).isTrue();
      assertThat(repaired.getBoolean("repaired")).isTrue();
      assertThat(repaired.getInteger("nrecords")).isEqualTo(DOCUMENTS);
      assertThat(repaired.get("keysPerIndex", Document.class).getInteger("v_1"))
          .isEqualTo(DOCUMENTS);
      assertThat(repaired.getList("warnings", String.class)).isNotEmpty();
      assertThat(new ArrayList<>(repaired.keySet()))
          .containsSubsequence(
              "valid",
              "repaired",
              "warnings",
              "errors",
              "corruptRecords",
              "numRemovedCorruptRecords",
              "numRemovedExtraIndexEntries",
              "numInsertedMissingIndexEntries");

      Document again = database.runCommand(Document.parse("{validate: 'things', repair: true}"));
      assertThat(again.getBoolean("valid")).isTrue();
      assertThat(again.getBoolean("repaired")).isFalse();
      assertThat(again).doesNotContainKey("numRemovedCorruptRecords");
      for (int i = 0; i < DOCUMENTS; i += 997) {
        assertThat(things.countDocuments(new Document("v", "value-" + i))).isEqualTo(1);
      }
    }
  }

  @Test
  void optionsThatExcludeEachOtherAreRefused() throws IOException {
    try (var server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var database = client.getDatabase("db");
      database.createCollection("c");
      for (String pair :
          List.of(
              "background full",
              "background enforceFastCount",
              "background repair",
              "enforceFastCount repair",
              "checkBSONConformance repair")) {
        String[] names = pair.split(" ");
        var command = new Document("validate", "c").append(names[0], true).append(names[1], 1);
        assertThatThrownBy(() -> database.runCommand(command))
            .isInstanceOf(MongoCommandException.class)
            .hasMessageContaining("72 (InvalidOptions)")
            .hasMessageContaining(
                "Running the validate command with both { %s: true } and { %s: true } is not"
                        .formatted(names[0], names[1])
                    + " supported.");
      }
      assertThatThrownBy(
              () -> database.runCommand(Document.parse("{validate: 'c', metadata: 1, full: 1}")))
          .hasMessageContaining(
              "Running the validate command with { metadata: true } is not supported with any"
                  + " other options");
      assertThatThrownBy(
              () ->
                  database.runCommand(
                      Document.parse("{validate: 'c', checkBSONConformance: false, full: true}")))
          .hasMessageContaining(
              "Cannot explicitly set 'checkBSONConformance: false' with full validation set.");
      assertThat(database.runCommand(Document.parse("{validate: 'c', metadata: true}")))
          .containsEntry("valid", true);
    }
  }

  private void rot(String... contents) throws IOException {
    Path log = data.resolve("log/0000000000000001.log");
    String bytes = Files.readString(log, StandardCharsets.ISO_8859_1);
    for (String content : contents) {
      flip(log, bytes.indexOf(content + "\0"));
    }
  }

  @Test
  @Tag("embedded") // damages files
  void aDocumentThatRottedCanBeDeletedOrGivenUp() throws IOException {
    fill();
    rot("value-77", "value-99");
    try (var server = start();
        MongoClient client = server.client("", "")) {
      var database = client.getDatabase("db");
      MongoCollection<Document> things = database.getCollection("things");
      assertThat(things.find(new Document("_id", 78)).first()).containsEntry("v", "value-78");
      assertThatThrownBy(() -> things.find(new Document("_id", 77)).first())
          .isInstanceOfSatisfying(
              MongoQueryException.class,
              e ->
                  assertThat(e.getErrorMessage())
                      .contains("0000000000000001.log at offset", "delete it by its _id"));
      assertThatThrownBy(() -> things.deleteOne(new Document("v", "value-77")))
          .hasMessageContaining("delete it by its _id");
      assertThat(things.deleteOne(new Document("_id", 77)).getDeletedCount()).isEqualTo(1);
      assertThat(things.deleteOne(new Document("_id", 77)).getDeletedCount()).isZero();
      assertThat(things.countDocuments(new Document("v", "value-77"))).isZero();
      things.insertOne(new Document("_id", 77).append("v", "again"));

      Document repaired = database.runCommand(Document.parse("{validate: 'things', repair: true}"));
      assertThat(repaired.getBoolean("valid")).as(repaired.toJson()).isTrue();
      assertThat(repaired.getBoolean("repaired")).isTrue();
      assertThat(repaired.getInteger("numRemovedCorruptRecords")).isEqualTo(1);
      assertThat(repaired.getList("corruptRecords", Long.class)).hasSize(1);
      assertThat(repaired.getList("warnings", String.class))
          .anyMatch(line -> line.contains("_id 99"));
      assertThat(things.countDocuments(Document.parse("{v: {$gte: ''}}"))).isEqualTo(DOCUMENTS - 1);
      assertThat(things.find().into(new ArrayList<>())).hasSize(DOCUMENTS - 1);
    }
    try (var server = start();
        MongoClient client = server.client("", "")) {
      var things = client.getDatabase("db").getCollection("things");
      assertThat(things.find().into(new ArrayList<>())).hasSize(DOCUMENTS - 1);
    }
  }
}
