package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Long texts where short ones are meant: converted in no time, and kept within the budget. */
final class LongTextsTest {
  @TempDir Path directory;

  @Test
  @Timeout(60)
  void conversionsOfMillionsOfCharactersEndAtOnce() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> things = client.getDatabase("test").getCollection("c");
      things.insertOne(new Document("_id", 1).append("s", "1".repeat(4_000_000)));
      for (String type : List.of("int", "long")) {
        assertThatThrownBy(() -> convert(things, "$s", type))
            .isInstanceOfSatisfying(
                MongoCommandException.class, e -> assertThat(e.getCode()).isEqualTo(241));
      }
      for (String type : List.of("double", "decimal", "date")) {
        assertThatThrownBy(() -> convert(things, "$s", type))
            .isInstanceOfSatisfying(
                MongoCommandException.class, e -> assertThat(e.getCode()).isEqualTo(241));
      }
      var small = new Document("$concat", List.of("0.", "$s", "e-3"));
      assertThat(convert(things, small, "double")).isEqualTo(1.0 / 9_000);
    }
  }

  private static Object convert(MongoCollection<Document> things, Object input, String type) {
    var convert = new Document("$convert", new Document("input", input).append("to", type));
    return things
        .aggregate(List.of(new Document("$project", new Document("v", convert))))
        .first()
        .get("v");
  }

  @Test
  @Timeout(120)
  void accumulatorsOfOneValueSpillWhatTheyKeep() throws Exception {
    try (TestServer server =
            TestServer.start("--data=" + directory.resolve("data"), "--limit=memory=16MB");
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> things = client.getDatabase("test").getCollection("c");
      for (int from = 0; from < 3_000; from += 500) {
        var batch = new ArrayList<Document>();
        for (int i = from; i < from + 500; i++) {
          batch.add(new Document("_id", i).append("p", i + "x".repeat(10_000)));
        }
        things.insertMany(batch);
      }
      for (String accumulator : List.of("$first", "$last", "$min", "$max")) {
        var group =
            new Document(
                "$group", new Document("_id", "$_id").append("z", new Document(accumulator, "$p")));
        int count = 0;
        for (Document each : things.aggregate(List.of(group)).allowDiskUse(true)) {
          assertThat(each.getString("z")).startsWith(each.get("_id") + "x");
          count++;
        }
        assertThat(count).isEqualTo(3_000);
        assertThatThrownBy(
                () -> things.aggregate(List.of(group)).allowDiskUse(false).batchSize(1).first())
            .isInstanceOfSatisfying(
                MongoCommandException.class, e -> assertThat(e.getCode()).isIn(292, 146));
      }
    }
  }
}
