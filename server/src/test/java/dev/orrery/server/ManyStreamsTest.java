package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final int WAITING = 3;
  private static final int CALM_SECONDS_MAX = 200;

  /** How often in succession nothing is found to be held. */
  private static final int TIMES_WITHOUT = 20;

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

  /** What comes is more than is kept for all, so that each of them reads for itself. */
  @Test
  void streamsThatWaitHoldNoMemory() throws Exception {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("d");
      database.getCollection("c").insertOne(new Document("_id", 1));
      var threads = Executors.newCachedThreadPool();
      var isOver = new AtomicBoolean();
      try {
        for (int i = 0; i < WAITING; i++) {
          threads.submit(() -> await(database, isOver));
        }
        awaitCalm(database);
        for (int i = 0; i < 3; i++) { // nothing that they tell
          var other = new Document("_id", i).append("t", "t".repeat(DOCUMENT_BYTES));
          database.getCollection("other").insertOne(other);
        }
        awaitCalm(database);
      } finally {
        isOver.set(true);
        database.getCollection("c").insertOne(new Document("_id", 2));
        threads.shutdown();
      }
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Until all wait and nothing is held for some time, which is sooner than they ask again. */
  private static void awaitCalm(MongoDatabase database) throws InterruptedException {
    long start = System.nanoTime();
    for (int times = 0; times < TIMES_WITHOUT; ) {
      times = isWaitingWithoutMemory(database) ? times + 1 : 0;
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(CALM_SECONDS_MAX));
      Thread.sleep(50);
    }
  }

  private static Void await(MongoDatabase database, AtomicBoolean isOver) {
    try (var stream =
        database.getCollection("c").watch().maxAwaitTime(10, TimeUnit.MINUTES).cursor()) {
      while (!isOver.get()) {
        stream.tryNext();
      }
    }
    return null;
  }

  private static boolean isWaitingWithoutMemory(MongoDatabase database) {
    Document status = database.runCommand(new Document("serverStatus", 1));
    Document cursors = status.get("metrics", Document.class).get("cursor", Document.class);
    Number waiting = cursors.get("open", Document.class).get("pinned", Number.class);
    Document memory = status.get("memoryBudget", Document.class);
    return waiting.intValue() == WAITING && memory.get("usedBytes", Number.class).longValue() == 0;
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
