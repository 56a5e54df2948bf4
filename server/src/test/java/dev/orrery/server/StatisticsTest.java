package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statistics tell what is, and what happened, not only that they exist. */
class StatisticsTest {
  private static TestServer server;
  private static MongoClient client;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    client = server.client("", "");
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static Document collectionStatistics(MongoDatabase database, String options) {
    return database
        .getCollection("c")
        .aggregate(List.of(Document.parse("{$collStats: " + options + "}")))
        .first();
  }

  @Test
  @Tag("embedded") // another engine has its data elsewhere
  void diskIsAsFullAsItsFileSystem() {
    Document statistics = client.getDatabase("test").runCommand(Document.parse("{dbStats: 1}"));

    assertThat(statistics.getDouble("fsUsedSize")).isPositive();
    assertThat(statistics.getDouble("fsUsedSize")).isLessThan(statistics.getDouble("fsTotalSize"));
  }

  @Test
  void latenciesAreOfTheCollectionsOwnOperations() {
    MongoDatabase database = client.getDatabase("latencies");
    database.getCollection("other").insertOne(new Document());
    database.getCollection("c").insertOne(new Document("_id", 1));
    database.getCollection("c").insertOne(new Document("_id", 2));
    database.getCollection("c").find(new Document("a", 1)).first();

    Document latencies =
        collectionStatistics(database, "{latencyStats: {histograms: true}}")
            .get("latencyStats", Document.class);

    Document writes = latencies.get("writes", Document.class);
    assertThat(writes.getLong("ops")).isEqualTo(2);
    assertThat(writes.getLong("latency")).isPositive();
    assertThat(writes.getList("histogram", Document.class))
        .extracting(range -> range.getLong("count"))
        .satisfies(
            counts -> assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(2));
    assertThat(latencies.get("reads", Document.class).getLong("ops")).isEqualTo(1);
  }

  @Test
  void cursorsAreCounted() {
    Document before = cursorMetrics();
    MongoDatabase database = client.getDatabase("cursors");
    database.getCollection("c").insertMany(List.of(new Document(), new Document(), new Document()));
    assertThat(database.getCollection("c").find().batchSize(2)).hasSize(3);

    Document after = cursorMetrics();
    assertThat(after.getLong("totalOpened")).isEqualTo(before.getLong("totalOpened") + 1);
    assertThat(after.getLong("moreThanOneBatch")).isEqualTo(before.getLong("moreThanOneBatch") + 1);
    assertThat(after.getLong("timedOut")).isZero();
  }

  private static Document cursorMetrics() {
    return client
        .getDatabase("admin")
        .runCommand(Document.parse("{serverStatus: 1}"))
        .get("metrics", Document.class)
        .get("cursor", Document.class);
  }

  @Test
  void aCursorEndsWhenItsPlaceIsPushedOutOrItsCollectionIsRenamed() {
    MongoDatabase database = client.getDatabase("places");
    database.runCommand(Document.parse("{create: 'k', capped: true, size: 4096, max: 2}"));
    database.getCollection("k").insertMany(List.of(new Document(), new Document()));
    for (int batch : List.of(1, 5)) {
      long id = open(database, "{find: 'k', tailable: true, batchSize: " + batch + "}");
      database.getCollection("k").insertMany(List.of(new Document(), new Document()));
      assertThat(codeOfMore(database, id, "k")).isEqualTo(136);
    }

    database.getCollection("c").insertMany(List.of(new Document(), new Document()));
    long id = open(database, "{find: 'c', batchSize: 1}");
    database.getCollection("c").renameCollection(new MongoNamespace("places.d"));
    assertThat(codeOfMore(database, id, "c")).isEqualTo(175);
  }

  private static long open(MongoDatabase database, String find) {
    return database.runCommand(Document.parse(find)).get("cursor", Document.class).getLong("id");
  }

  private static int codeOfMore(MongoDatabase database, long id, String collection) {
    var more = new Document("getMore", id).append("collection", collection);
    return assertThatExceptionOfType(MongoCommandException.class)
        .isThrownBy(() -> database.runCommand(more))
        .actual()
        .getErrorCode();
  }

  @Test
  void scansOfTheWholeCollectionAreCounted() {
    MongoDatabase database = client.getDatabase("scans");
    database.getCollection("c").insertOne(new Document("_id", 1).append("a", 1));
    database.getCollection("c").find(new Document("a", 1)).first();
    database.getCollection("c").find(new Document("_id", 1)).first();

    Document scans =
        collectionStatistics(database, "{queryExecStats: {}}")
            .get("queryExecStats", Document.class)
            .get("collectionScans", Document.class);

    assertThat(scans).isEqualTo(new Document("total", 1L).append("nonTailable", 1L));
  }
}
