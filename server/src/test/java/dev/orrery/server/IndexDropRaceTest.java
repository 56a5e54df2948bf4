package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Indexes are dropped and made again in a loop: only a cursor that reads one of them may fail. */
final class IndexDropRaceTest {
  private static final int DOCUMENTS = 300;
  private static final int A_VALUES = 10;
  private static final int B_VALUES = 7;
  private static final long SECONDS = Long.getLong("orrery.race.seconds", 4);
  private static final int QUERY_PLAN_KILLED = 175;

  @TempDir Path directory;

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger drops = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger killed = new AtomicInteger();

  @Test
  @Timeout(180)
  void onlyAnOpenCursorOfADroppedIndexMayFail() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory.resolve("data"));
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("race");
      database.runCommand(
          Document.parse(
              "{shardCollection: 'race.parted', key: {k: 'hashed'}, numInitialChunks: 3}"));
      for (String name : List.of("plain", "parted")) {
        fill(database.getCollection(name));
      }
      race(database);
      assertThat(drops.get()).isPositive();
      for (String name : List.of("plain", "parted")) {
        Document report = database.runCommand(new Document("validate", name));
        assertThat(report.getBoolean("valid")).as(report.toJson()).isTrue();
      }
    }
  }

  private static void fill(MongoCollection<Document> collection) {
    var documents = new ArrayList<Document>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(document(i));
    }
    collection.insertMany(documents);
    collection.createIndex(Document.parse("{b: 1}"));
    collection.createIndex(Document.parse("{a: 1}"));
  }

  private static Document document(int id) {
    return new Document("_id", id)
        .append("a", id % A_VALUES)
        .append("b", id % B_VALUES)
        .append("k", id % 5);
  }

  private void race(MongoDatabase database) throws Exception {
    var pool = Executors.newCachedThreadPool();
    var workers = new ArrayList<CompletableFuture<Void>>();
    for (String name : List.of("plain", "parted")) {
      MongoCollection<Document> collection = database.getCollection(name);
      workers.add(CompletableFuture.runAsync(() -> loop(0, random -> drop(collection)), pool));
      workers.add(CompletableFuture.runAsync(() -> loop(1, one -> byId(collection, one)), pool));
      workers.add(CompletableFuture.runAsync(() -> loop(2, one -> byB(collection, one)), pool));
      workers.add(CompletableFuture.runAsync(() -> loop(3, one -> byA(collection, one)), pool));
      workers.add(CompletableFuture.runAsync(() -> loop(4, one -> report(database, name)), pool));
    }
    var all = CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new));
    var first = new CompletableFuture<Void>();
    workers.forEach(worker -> worker.whenComplete((done, e) -> fail(first, e)));
    try {
      first.get(SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException nobodyFailed) {
      // as it should be
    } finally {
      isOver.set(true);
      pool.shutdown();
    }
    all.get(60, TimeUnit.SECONDS);
  }

  private static void fail(CompletableFuture<Void> first, Throwable failure) {
    if (failure != null) {
      first.complete(null);
    }
  }

  /** A step of a worker. */
  private interface Step {
    void run(Random random);
  }

  private void loop(int seed, Step step) {
    var random = new Random(seed);
    while (!isOver.get()) {
      step.run(random);
      requests.incrementAndGet();
    }
  }

  /** The name stays, the direction changes: whoever goes by the name alone reads nonsense. */
  private void drop(MongoCollection<Document> collection) {
    String name = "a_1";
    collection.dropIndex(name);
    int direction = drops.incrementAndGet() % 2 == 0 ? 1 : -1;
    collection.createIndex(new Document("a", direction), new IndexOptions().name(name));
  }

  private static void byId(MongoCollection<Document> collection, Random random) {
    int id = random.nextInt(DOCUMENTS);
    assertThat(collection.find(Filters.eq("_id", id)).first()).containsAllEntriesOf(document(id));
    int own = DOCUMENTS + random.nextInt(20);
    Document fresh = document(own).append("k", 9).append("a", -100).append("b", -100);
    var key = Filters.and(Filters.eq("_id", own), Filters.eq("k", 9));
    collection.bulkWrite(
        List.of(
            new DeleteOneModel<>(key),
            new InsertOneModel<>(fresh),
            new UpdateOneModel<>(key, Updates.set("x", 1)),
            new ReplaceOneModel<>(key, fresh),
            new UpdateOneModel<>(Filters.eq("_id", id), Updates.inc("n", 1)),
            new DeleteOneModel<>(key)),
        new BulkWriteOptions().ordered(true));
    collection.findOneAndUpdate(Filters.eq("_id", id), Updates.set("m", 1));
  }

  private static TreeSet<Integer> expected(int modulus, int rest) {
    var ids = new TreeSet<Integer>();
    for (int i = rest; i < DOCUMENTS; i += modulus) {
      ids.add(i);
    }
    return ids;
  }

  private static TreeSet<Integer> ids(Iterable<Document> documents) {
    var ids = new TreeSet<Integer>();
    documents.forEach(one -> ids.add(one.getInteger("_id")));
    return ids;
  }

  private void byB(MongoCollection<Document> collection, Random random) {
    int b = random.nextInt(B_VALUES);
    var filter = Filters.eq("b", b);
    assertThat(ids(collection.find(filter).batchSize(10))).isEqualTo(expected(B_VALUES, b));
    assertRead(collection, "b", b, B_VALUES);
    assertChanged(collection, "b", b, B_VALUES);
  }

  private void byA(MongoCollection<Document> collection, Random random) {
    int a = random.nextInt(A_VALUES);
    var filter = Filters.eq("a", a);
    assertThat(ids(collection.find(filter))).isEqualTo(expected(A_VALUES, a));
    assertRead(collection, "a", a, A_VALUES);
    assertChanged(collection, "a", a, A_VALUES);
    try {
      assertThat(ids(collection.find(filter).batchSize(3))).isEqualTo(expected(A_VALUES, a));
      assertThat(ids(collection.aggregate(List.of(new Document("$match", filter))).batchSize(3)))
          .isEqualTo(expected(A_VALUES, a));
    } catch (MongoException e) {
      assertThat(e.getCode()).isEqualTo(QUERY_PLAN_KILLED);
      assertThat(e.getMessage()).contains("query plan killed :: index 'a_1' dropped");
      killed.incrementAndGet();
    }
  }

  private static void assertRead(
      MongoCollection<Document> collection, String field, int value, int modulus) {
    var filter = Filters.eq(field, value);
    int count = expected(modulus, value).size();
    assertThat(collection.countDocuments(filter)).isEqualTo(count);
    Document sum =
        collection
            .aggregate(
                List.of(
                    new Document("$match", filter),
                    Document.parse("{$group: {_id: null, n: {$sum: 1}}}")))
            .first();
    assertThat(sum.getInteger("n")).isEqualTo(count);
    var range = Filters.and(Filters.gte(field, 0), Filters.lt(field, modulus));
    var values = expected(1, 0).headSet(modulus);
    assertThat(collection.distinct(field, range, Integer.class).into(new ArrayList<>()))
        .containsExactlyInAnyOrderElementsOf(values);
    assertThat(collection.distinct(field, Integer.class).into(new ArrayList<>()))
        .containsAll(values);
    assertThat(collection.find(range).sort(new Document(field, -1)).limit(1).first())
        .containsEntry(field, modulus - 1);
  }

  private static void assertChanged(
      MongoCollection<Document> collection, String field, int value, int modulus) {
    var filter = Filters.eq(field, value);
    int count = expected(modulus, value).size();
    assertThat(collection.updateMany(filter, Updates.inc("u" + field, 1)).getMatchedCount())
        .isEqualTo(count);
    assertThat(collection.updateOne(filter, Updates.inc("v" + field, 1)).getMatchedCount())
        .isEqualTo(1);
    assertThat(collection.findOneAndUpdate(filter, Updates.inc("w" + field, 1))).isNotNull();
    // Nobody else has these: they are made and deleted by what is dropped.
    int own = -1 - value;
    for (int i = 0; i < 5; i++) {
      int id = 1_000 + 100 * value + i + (field.equals("a") ? 10 : 0);
      collection.insertOne(new Document("_id", id).append("k", i).append(field, own));
    }
    assertThat(collection.deleteOne(Filters.eq(field, own)).getDeletedCount()).isEqualTo(1);
    assertThat(collection.findOneAndDelete(Filters.eq(field, own))).isNotNull();
    assertThat(collection.deleteMany(Filters.eq(field, own)).getDeletedCount()).isEqualTo(3);
  }

  private static void report(MongoDatabase database, String name) {
    try {
      database.runCommand(new Document("collStats", name));
      database.runCommand(new Document("dbStats", 1));
      database.getCollection(name).aggregate(List.of(Document.parse("{$indexStats: {}}"))).first();
    } catch (MongoCommandException e) {
      throw new AssertionError("a report failed", e);
    }
  }
}
