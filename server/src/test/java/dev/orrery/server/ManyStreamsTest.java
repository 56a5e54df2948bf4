package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams of changes keep their place, and hardly anything else. */
@Timeout(240)
class ManyStreamsTest {
  private static final int STREAMS = 24;
  private static final int DOCUMENTS = 10;
  private static final int DOCUMENT_BYTES = 4 << 20;

  @TempDir private Path directory;

  /** All streams together would have to hold ten times the heap. */
  @Test
  void manyFollowLargeDocumentsOnASmallHeap() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory, List.of("-Xmx128m"));
        MongoClient client = server.client("")) {
      var collection = client.getDatabase("d").getCollection("c");
      collection.insertOne(new Document("_id", -1));
      var threads = Executors.newCachedThreadPool();
      try {
        var ready = new CountDownLatch(STREAMS);
        var work = new ArrayList<Callable<Void>>();
        for (int i = 0; i < STREAMS; i++) {
          work.add(() -> follow(server, ready));
        }
        work.add(() -> write(collection, ready));
        for (Future<Void> done : threads.invokeAll(work)) {
          done.get();
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(server.errors()).doesNotContain("OutOfMemory");
      Document status = client.getDatabase("d").runCommand(new Document("serverStatus", 1));
      assertThat(status.get("memoryBudget", Document.class).get("usedBytes"))
          .asString()
          .isEqualTo("0");
    }
  }

  private static Void follow(ServerProcess server, CountDownLatch ready) {
    try (MongoClient client = server.client("");
        MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream =
            client.getDatabase("d").getCollection("c").watch().cursor()) {
      ready.countDown();
      for (int i = 0; i < DOCUMENTS; i++) {
        Document seen = stream.next().getFullDocument();
        assertThat(seen.getInteger("_id")).isEqualTo(i);
        assertThat(seen.getString("t")).hasSize(DOCUMENT_BYTES);
      }
    }
    return null;
  }

  private static Void write(MongoCollection<Document> collection, CountDownLatch ready)
      throws InterruptedException {
    ready.await();
    String text = "t".repeat(DOCUMENT_BYTES);
    for (int i = 0; i < DOCUMENTS; i++) {
      collection.insertOne(new Document("_id", i).append("t", text));
    }
    return null;
  }

  /** What a stream reads again it does not tell again. */
  @Test
  void shortBatchesOfALongCommitTellEveryChangeOnce() throws Exception {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var collection = client.getDatabase("d").getCollection("c");
      try (var stream = collection.watch().batchSize(3).cursor()) {
        for (int round = 0; round < 3; round++) {
          int from = round * 300;
          collection.insertMany(
              IntStream.range(from, from + 300)
                  .mapToObj(i -> new Document("_id", i).append("t", "t".repeat(2_000)))
                  .toList());
        }
        for (int i = 0; i < 900; i++) {
          assertThat(stream.next().getDocumentKey().getInt32("_id").getValue()).isEqualTo(i);
        }
        collection.insertOne(new Document("_id", "last"));
        assertThat(stream.next().getDocumentKey().getString("_id").getValue()).isEqualTo("last");
      }
    }
  }
}
