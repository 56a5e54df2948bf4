package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose memory ends goes on serving, or ends and says so: it never lives half. */
class NoMemoryTest {
  private static final int DOCUMENTS = 8_000;

  @TempDir Path directory;

  @Test
  @Timeout(240)
  void theServerServesOrEndsWithAMessage() throws Exception {
    try (var server = SmallSegmentServer.start(directory, "-Xmx80m");
        MongoClient client =
            MongoClients.create(server.uri("socketTimeoutMS=15000&retryReads=false"))) {
      MongoCollection<Document> collection = client.getDatabase("test").getCollection("c");
      for (int i = 0; i < DOCUMENTS; i += 500) {
        var batch = new ArrayList<Document>();
        for (int n = i; n < i + 500; n++) {
          batch.add(new Document("_id", n).append("k", -n).append("pad", "x".repeat(1_000)));
        }
        collection.insertMany(batch);
      }
      var cursors = new ArrayList<MongoCursor<Document>>();
      for (int refused = 0; cursors.size() < 40 && refused < 4; ) {
        try {
          cursors.add(collection.find().sort(new Document("k", 1)).batchSize(1).cursor());
        } catch (MongoException noMemory) {
          refused++;
        }
      }
      requireAliveOrGone(server, collection);
    }
  }

  /** Durable writes answer, or the process has ended as it should. */
  private static void requireAliveOrGone(
      SmallSegmentServer server, MongoCollection<Document> collection) throws Exception {
    MongoException last = null;
    for (int attempt = 0; attempt < 3; attempt++) {
      try {
        collection.insertOne(new Document("pad", "y".repeat(100)));
        return;
      } catch (MongoException e) {
        last = e;
      }
    }
    assertThat(server.process.waitFor(30, TimeUnit.SECONDS))
        .as("a server that refuses writes has ended; it said %s", last)
        .isTrue();
    assertThat(server.process.exitValue()).isEqualTo(OwnProcess.HALF_ALIVE);
    assertThat(server.output).anyMatch(line -> line.startsWith("orrery: "));
  }
}
