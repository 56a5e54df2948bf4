package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The profile of everything, while durable writers make the log begin segment after segment. */
class ProfiledWritersTest {
  private static final int WRITERS = 12;
  private static final int WRITES = 150;

  @TempDir Path directory;
  private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  @Timeout(180)
  void writersGoOnOverManySegmentsAndTheServerStopsWhenTold() throws Exception {
    try (var server = SmallSegmentServer.start(directory)) {
      try (MongoClient client = MongoClients.create(server.uri("w=1&journal=true"))) {
        var database = client.getDatabase("test");
        database.runCommand(Document.parse("{profile: 2}"));
        var done = new ArrayList<Future<Integer>>();
        for (int writer = 0; writer < WRITERS; writer++) {
          done.add(threads.submit(writer(database.getCollection("c"), writer)));
        }
        for (Future<Integer> each : done) {
          assertThat(each.get(90, TimeUnit.SECONDS)).isEqualTo(WRITES);
        }
        assertThat(database.getCollection("c").countDocuments()).isEqualTo((long) WRITERS * WRITES);
        requireOrder(database.getCollection("system.profile"));
      }
      server.process.toHandle().destroy();
      assertThat(server.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Callable<Integer> writer(MongoCollection<Document> collection, int writer) {
    return () -> {
      int writes = 0;
      for (; writes < WRITES; writes++) {
        var document = new Document("_id", writer + "-" + writes).append("pad", "x".repeat(500));
        var place =
            new BsonDocument("writer", new BsonInt32(writer)).append("n", new BsonInt32(writes));
        collection.insertOne(document, new InsertOneOptions().comment(place));
      }
      return writes;
    };
  }

  /** What is left of the capped profile are its last entries, those of each writer in order. */
  private static void requireOrder(MongoCollection<Document> profile) {
    int[] last = new int[WRITERS];
    Arrays.fill(last, -1);
    int entries = 0;
    for (Document entry : profile.find(Document.parse("{op: 'insert'}"))) {
      Document place = entry.get("command", Document.class).get("comment", Document.class);
      int writer = place.getInteger("writer");
      assertThat(place.getInteger("n")).isGreaterThan(last[writer]);
      last[writer] = place.getInteger("n");
      entries++;
    }
    assertThat(entries).isPositive();
    for (int writer = 0; writer < WRITERS; writer++) {
      assertThat(last[writer]).isIn(-1, WRITES - 1);
    }
  }
}
