package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Those with few and short requests get their answers, whatever others ask for. */
@Timeout(90)
class FairShareTest {
  private static final Duration AT_ONCE = Duration.ofSeconds(2);
  private static final Duration LATE = Duration.ofSeconds(10);
  private static final int SCANS = 21;

  private static final BsonDocument ENDLESS =
      BsonDocument.parse(
          """
          {aggregate: 'c', cursor: {}, pipeline: [{$match: {$expr: {$gt: [{$size: {$map: {input:
            {$range: [0, 9000]}, in: {$size: {$map: {input: {$range: [0, 9000]}, as: 'i', in:
            {$size: {$map: {input: {$range: [0, 9000]}, as: 'j', in: 1}}}}}}}}}, 0]}}}]}
          """);

  /** Reads the whole collection. */
  private static final BsonDocument SCAN = BsonDocument.parse("{find: 'c', filter: {g: 5}}");

  private TestServer server;
  private final List<RawConnection> greedy = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start();
    try (MongoClient client = server.client("", "")) {
      var documents = new ArrayList<Document>();
      for (int i = 0; i < 500; i++) {
        documents.add(document(i));
      }
      client.getDatabase("test").getCollection("c").insertMany(documents);
    }
  }

  @AfterEach
  void stop() throws IOException {
    for (RawConnection connection : greedy) {
      connection.close();
    }
    server.close();
  }

  private void begin(int count, String from) throws Exception {
    for (int i = 0; i < count; i++) {
      var connection = new RawConnection(server.port(), from);
      greedy.add(connection);
      connection.send(ENDLESS);
    }
    Thread.sleep(2000); // so that as many are at work as ever will be
  }

  /** Nearly all come at once; some may be late on a machine that does much else. */
  private void requireScans(String from) throws IOException {
    var times = new ArrayList<Duration>();
    try (var connection = new RawConnection(server.port(), from)) {
      for (int i = 0; i < SCANS; i++) {
        long start = System.nanoTime();
        BsonDocument reply = connection.ask(SCAN);
        assertThat(reply.getDocument("cursor").getArray("firstBatch")).hasSize(50);
        times.add(Duration.ofNanos(System.nanoTime() - start));
      }
    }
    requireSoon(times);
  }

  private static Document document(int id) {
    return new Document("_id", id).append("g", id % 10);
  }

  private static void requireSoon(List<Duration> times) {
    Collections.sort(times);
    assertThat(times.get(SCANS / 2)).isLessThan(AT_ONCE);
    assertThat(times.get(SCANS - 1)).isLessThan(LATE);
  }

  private static long workers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("worker"))
        .count();
  }

  @Test
  void shortScansDoNotWaitForSixtyFourLongRequestsOfAnotherClient() throws Exception {
    begin(64, "127.0.0.1");
    requireScans("127.0.0.2");
    assertThat(workers()).isLessThanOrEqualTo(48 + 16);
  }

  @Test
  void shortScansDoNotWaitForManyLongRequestsOfTheirOwnClient() throws Exception {
    begin(40, "127.0.0.1");
    requireScans("127.0.0.1");
  }

  @Test
  void manyGreedyClientsLeaveAThreadForWhoeverHasNone() throws Exception {
    for (int i = 1; i <= 3; i++) {
      begin(50, "127.0.0." + i);
    }
    requireScans("127.0.0.9");
    assertThat(workers()).isLessThanOrEqualTo(128);
  }

  @Test
  void shortScansDoNotWaitForLongRequestsOfAnotherUserFromTheSameMachine() throws Exception {
    try (TestServer guarded = TestServer.start("--auth")) {
      guarded.createRoot();
      try (MongoClient root = guarded.client("root:secret@", "")) {
        root.getDatabase("admin")
            .runCommand(
                Document.parse(
                    "{createUser: 'greedy', pwd: 'secret', roles: ['readAnyDatabase']}"));
        MongoCollection<Document> collection = root.getDatabase("test").getCollection("c");
        collection.insertMany(IntStream.range(0, 500).mapToObj(FairShareTest::document).toList());
        var threads = Executors.newCachedThreadPool();
        try (MongoClient other =
            guarded.client("greedy:secret@", "maxPoolSize=70&retryReads=false")) {
          for (int i = 0; i < 64; i++) {
            threads.submit(() -> other.getDatabase("test").runCommand(ENDLESS));
          }
          Thread.sleep(2000);
          var times = new ArrayList<Duration>();
          for (int i = 0; i < SCANS; i++) {
            long start = System.nanoTime();
            assertThat(collection.find(new Document("g", 5)).into(new ArrayList<>())).hasSize(50);
            times.add(Duration.ofNanos(System.nanoTime() - start));
          }
          requireSoon(times);
        } finally {
          threads.shutdownNow();
        }
      }
    }
  }

  @Test
  void aRequestThatWaitsForAThreadEndsWithItsTimeAndWithItsClient() throws Exception {
    begin(60, "127.0.0.1");
    try (var connection = new RawConnection(server.port(), "127.0.0.1")) {
      long start = System.nanoTime();
      BsonDocument reply = connection.ask(SCAN.clone().append("maxTimeMS", new BsonInt32(200)));
      assertThat(reply.getInt32("code").getValue()).isEqualTo(50);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATE);
    }
    for (RawConnection connection : greedy) {
      connection.close(); // those at work, and those that wait
    }
    try (var connection = new RawConnection(server.port(), "127.0.0.1")) {
      var list = BsonDocument.parse("{currentOp: 1, active: true, $db: 'admin'}");
      int running = 100;
      for (int i = 0; i < 200 && running > 1; i++) {
        Thread.sleep(50);
        running = connection.ask(list).getArray("inprog").size();
      }
      assertThat(running).isEqualTo(1);
    }
    requireScans("127.0.0.1");
  }
}
