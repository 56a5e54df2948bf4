package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names that several clients want at once: each wins, or loses in MongoDB's words. */
final class RenameRaceTest {
  private static final long SECONDS = Long.getLong("orrery.race.seconds", 3);
  private static final int NAMESPACE_NOT_FOUND = 26;
  private static final int INDEX_BUILD_ABORTED = 276;

  @TempDir private Path directory;

  private final Map<String, Set<Integer>> codes = new ConcurrentHashMap<>();

  /** Runs each until the time is up; what they are told goes to {@link #codes}. */
  private void race(Map<String, Runnable> steps) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    all(
        steps.entrySet().stream()
            .map(
                step ->
                    (Callable<Void>)
                        () -> {
                          while (System.nanoTime() - end < 0) {
                            attempt(step.getKey(), step.getValue());
                          }
                          return null;
                        })
            .toList());
  }

  private static void all(List<Callable<Void>> tasks) throws Exception {
    var pool = Executors.newFixedThreadPool(tasks.size());
    try {
      for (Future<Void> done : pool.invokeAll(tasks)) {
        done.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private void attempt(String what, Runnable step) {
    try {
      step.run();
    } catch (MongoCommandException e) {
      codes
          .computeIfAbsent(what.split(" ")[0], key -> ConcurrentHashMap.newKeySet())
          .add(e.getErrorCode());
    }
  }

  private static void rename(MongoClient client, String from, String to) {
    client
        .getDatabase("admin")
        .runCommand(
            new Document("renameCollection", "db." + from)
                .append("to", "db." + to)
                .append("dropTarget", true));
  }

  @Test
  @Timeout(120)
  void aRenameOverWhateverIsThereNeverFindsTheNameTaken() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory.resolve("data"));
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      race(
          Map.of(
              "rename a", () -> rename(client, "a", "t"),
              "rename b", () -> rename(client, "b", "t"),
              "rename t", () -> rename(client, "t", "a"),
              "insert a", () -> database.getCollection("a").insertOne(new Document("x", 1)),
              "insert b", () -> database.getCollection("b").insertOne(new Document("x", 1)),
              "insert t", () -> database.getCollection("t").insertOne(new Document("x", 1)),
              "drop t", () -> database.getCollection("t").drop()));
      assertThat(codes.getOrDefault("rename", Set.of())).isSubsetOf(NAMESPACE_NOT_FOUND);
      assertThat(codes.keySet()).isSubsetOf("rename");
      for (String name : database.listCollectionNames()) {
        Document checked = database.runCommand(new Document("validate", name));
        assertThat(checked.getBoolean("valid")).as(checked.toJson()).isTrue();
      }
    }
  }

  @Test
  @Timeout(120)
  void ofManyRenamesOfOneCollectionOneWinsAndTheDocumentsAreThere() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory.resolve("data"));
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      for (int round = 0; round < 60; round++) {
        database.drop();
        database.getCollection("s").insertOne(new Document("_id", round));
        var wins = new AtomicInteger();
        var targets = new ArrayList<Callable<Void>>();
        for (String target : List.of("t", "t", "t", "u")) {
          targets.add(
              () -> {
                attempt(
                    "rename",
                    () -> {
                      rename(client, "s", target);
                      wins.incrementAndGet();
                    });
                return null;
              });
        }
        all(targets);
        assertThat(wins).hasValue(1);
        var names = database.listCollectionNames().into(new TreeSet<>());
        assertThat(names).hasSize(1);
        assertThat(database.getCollection(names.first()).find().first())
            .containsEntry("_id", round);
      }
      assertThat(codes.get("rename")).containsExactly(NAMESPACE_NOT_FOUND);
    }
  }

  private static List<Document> documents() {
    return IntStream.range(0, 2_000).mapToObj(i -> new Document("a", i)).toList();
  }

  @Test
  @Timeout(120)
  void anIndexIsBuiltInANewCollectionOrEndsWithTheOldOne() throws Exception {
    try (TestServer server = TestServer.start("--data=" + directory.resolve("data"));
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      race(
          Map.of(
              "insert c", () -> database.getCollection("c").insertMany(documents()),
              "drop c", () -> database.getCollection("c").drop(),
              "index a", () -> database.getCollection("c").createIndex(new Document("a", 1)),
              "index b", () -> database.getCollection("c").createIndex(new Document("b", 1))));
      assertThat(codes.getOrDefault("index", Set.of())).isSubsetOf(INDEX_BUILD_ABORTED);
      assertThat(codes.keySet()).as(codes.toString()).isSubsetOf("index");
    }
  }
}
