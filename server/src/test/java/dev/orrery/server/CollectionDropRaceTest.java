package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.RenameCollectionOptions;
import com.mongodb.client.model.Updates;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A collection comes whole, under its name, and is dropped, again and again: readers find all of it
 * or nothing, and who comes too late is told so in MongoDB's words.
 */
final class CollectionDropRaceTest {
  private static final int DOCUMENTS = 400;
  private static final long SECONDS = Long.getLong("orrery.race.seconds", 4);
  private static final int NAMESPACE_NOT_FOUND = 26;
  private static final int INDEX_NOT_FOUND = 27;
  private static final int QUERY_PLAN_KILLED = 175;
  private static final int INDEX_BUILD_ABORTED = 276;

  @TempDir Path directory;

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger drops = new AtomicInteger();

  @Test
  @Timeout(180)
  void readersFindAllOrNothingAndNothingComesBack() throws Exception {
    String data = "--data=" + directory.resolve("data");
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "")) {
      race(client.getDatabase("race"));
      assertThat(drops.get()).isPositive();
    }
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "")) {
      assertThat(client.getDatabase("race").listCollectionNames()).doesNotContain("c");
    }
  }

  private void race(MongoDatabase database) throws Exception {
    var pool = Executors.newCachedThreadPool();
    var workers = new ArrayList<CompletableFuture<Void>>();
    MongoCollection<Document> c = database.getCollection("c");
    for (Runnable step :
        List.<Runnable>of(
            () -> comeAndGo(database),
            () -> read(c),
            () -> read(c),
            () -> write(c),
            () -> changeIndexes(database, c),
            () -> report(database))) {
      workers.add(
          CompletableFuture.runAsync(
              () -> {
                while (!isOver.get()) {
                  step.run();
                }
              },
              pool));
    }
    for (CompletableFuture<Void> worker : workers) {
      worker.whenComplete((done, e) -> isOver.set(true));
    }
    for (long i = 0; i < 20 * SECONDS && !isOver.get(); i++) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    isOver.set(true);
    pool.shutdown();
    CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    database.getCollection("c").drop();
  }

  private void comeAndGo(MongoDatabase database) {
    MongoCollection<Document> fresh = database.getCollection("fresh");
    fresh.createIndex(Document.parse("{a: 1}"));
    var documents = new ArrayList<Document>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(new Document("_id", i).append("a", i % 2).append("x", "x".repeat(50)));
    }
    fresh.insertMany(documents);
    var name = new MongoNamespace("race", "c");
    // A new index may have made one of that name.
    fresh.renameCollection(name, new RenameCollectionOptions().dropTarget(true));
    database.getCollection("c").drop();
    drops.incrementAndGet();
  }

  /** Runs what may also be told that it came too late. */
  private static void late(Set<Integer> codes, Runnable request) {
    try {
      request.run();
    } catch (MongoException e) {
      assertThat(codes).as(e.getMessage()).contains(e.getCode());
    }
  }

  private static void read(MongoCollection<Document> c) {
    Set<Integer> killed = Set.of(QUERY_PLAN_KILLED);
    late(killed, () -> allOrNothing(c.find().into(new ArrayList<>()).size(), DOCUMENTS));
    late(
        killed,
        () ->
            allOrNothing(
                c.find(Filters.eq("a", 1)).batchSize(50).into(new ArrayList<>()).size(),
                DOCUMENTS / 2));
    late(
        killed,
        () ->
            allOrNothing(
                c.find().sort(new Document("x", 1)).into(new ArrayList<>()).size(), DOCUMENTS));
    late(killed, () -> allOrNothing((int) c.countDocuments(Filters.eq("a", 1)), DOCUMENTS / 2));
    late(
        killed,
        () -> assertThat(c.distinct("a", Integer.class).into(new ArrayList<>())).isSubsetOf(0, 1));
    allOrNothing((int) c.estimatedDocumentCount(), DOCUMENTS);
    // An engine that answers late may lose the collection between the plan and the document.
    late(
        killed,
        () -> assertThat(c.find(Filters.eq("_id", 3)).into(new ArrayList<>())).hasSizeLessThan(2));
  }

  private static void allOrNothing(int found, int all) {
    assertThat(found).isIn(0, all);
  }

  private static void write(MongoCollection<Document> c) {
    Set<Integer> killed = Set.of(QUERY_PLAN_KILLED);
    late(killed, () -> c.updateOne(Filters.eq("_id", 5), Updates.inc("n", 1)));
    late(killed, () -> c.updateMany(Filters.eq("a", 0), Updates.inc("n", 1)));
    late(killed, () -> c.findOneAndUpdate(Filters.eq("a", 1), Updates.inc("n", 1)));
  }

  private static void changeIndexes(MongoDatabase database, MongoCollection<Document> c) {
    Set<Integer> late = Set.of(NAMESPACE_NOT_FOUND, INDEX_NOT_FOUND);
    late(late, () -> database.runCommand(Document.parse("{collMod: 'c', validator: {}}")));
    late(
        late,
        () ->
            database.runCommand(
                Document.parse("{collMod: 'c', index: {name: 'a_1', hidden: true}}")));
    late(
        late,
        () ->
            database.runCommand(
                Document.parse("{collMod: 'c', index: {name: 'a_1', hidden: false}}")));
    late(late, () -> c.dropIndex("x_1"));
    if (c.estimatedDocumentCount() > 0) {
      late(
          Set.of(INDEX_BUILD_ABORTED),
          () -> c.createIndex(Document.parse("{x: 1}"), new IndexOptions()));
    }
  }

  private static void report(MongoDatabase database) {
    database.runCommand(Document.parse("{dbStats: 1}"));
    database.listCollections().into(new ArrayList<>());
    late(Set.of(NAMESPACE_NOT_FOUND), () -> database.runCommand(Document.parse("{validate: 'c'}")));
    late(
        Set.of(NAMESPACE_NOT_FOUND), () -> database.runCommand(Document.parse("{collStats: 'c'}")));
  }
}
