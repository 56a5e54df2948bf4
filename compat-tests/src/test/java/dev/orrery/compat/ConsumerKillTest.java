package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A consumer of a change stream is killed again and again while writes, transactions, splits,
 * merges and kills of the server go on, and comes back with the last token it wrote down. It has
 * seen every change exactly once, and what it saw makes the collection.
 *
 * <p>{@code -Dconsumer.kills=50} makes it longer, {@code -Dconsumer.seed=...} repeats the choices.
 */
final class ConsumerKillTest {
  private static final int KILLS = Integer.getInteger("consumer.kills", 6);
  private static final long SEED = Long.getLong("consumer.seed", System.nanoTime());
  private static final int SERVER_KILL_EVERY = 3;
  private static final int DOCUMENTS = 60;
  private static final int WRITERS = 3;
  private static final int BURST_MILLIS_RANGE = 1000;
  private static final long PATIENCE_MILLIS = 60_000;
  private static final String NAMESPACE = "db.things";

  @TempDir private Path directory;
  private final Random random = new Random(SEED);
  private volatile boolean isStopping;

  @Test
  void everyChangeIsSeenExactlyOnce() throws Exception {
    Path data = directory.resolve("data");
    Path journal = directory.resolve("journal");
    PackagedServer server = PackagedServer.on(data);
    try {
      try (MongoClient client = MongoClients.create(server.uri())) {
        client
            .getDatabase("admin")
            .runCommand(Document.parse("{shardCollection: 'db.things', key: {p: 'hashed'}}"));
      }
      start(server, journal).destroyForcibly().waitFor();
      for (int kill = 1; kill <= KILLS; kill++) {
        boolean isServerKilled = kill % SERVER_KILL_EVERY == 0;
        round(server, journal, isServerKilled);
        if (isServerKilled) {
          server = PackagedServer.on(data);
        }
      }
      finish(server, journal);
    } finally {
      server.close();
    }
  }

  /** Writers at work, a consumer that is killed in the midst of it, at times the server, too. */
  private void round(PackagedServer server, Path journal, boolean isServerKilled) throws Exception {
    isStopping = false;
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < WRITERS; i++) {
      long seed = random.nextLong();
      threads.add(new Thread(() -> write(server.uri(), new Random(seed))));
    }
    long seed = random.nextLong();
    threads.add(new Thread(() -> reshape(server.uri(), new Random(seed))));
    threads.forEach(Thread::start);
    Process consumer = start(server, journal);
    Thread.sleep(random.nextInt(BURST_MILLIS_RANGE));
    consumer.destroyForcibly().waitFor();
    if (isServerKilled) {
      server.kill();
    }
    isStopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private Process start(PackagedServer server, Path journal) throws IOException {
    List<String> command =
        ClientTool.MONGODB.script(
            "consume-mongodb.mjs", server.uri(), NAMESPACE, journal.toString());
    Process consumer =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    var out =
        new BufferedReader(
            new InputStreamReader(consumer.getInputStream(), StandardCharsets.UTF_8));
    assertThat(out.readLine()).isEqualTo("follows");
    return consumer;
  }

  private static MongoClient connect(String uri) {
    return MongoClients.create(uri + "?serverSelectionTimeoutMS=2000&socketTimeoutMS=20000");
  }

  private void write(String uri, Random chance) {
    try (MongoClient client = connect(uri)) {
      MongoCollection<Document> things = client.getDatabase("db").getCollection("things");
      while (!isStopping) {
        if (chance.nextInt(5) == 0) {
          inTransaction(client, things, chance);
        } else {
          change(null, things, chance.nextInt(DOCUMENTS), chance);
        }
      }
    } catch (MongoException e) {
      // The server was killed; what was on its way is there, or is not.
    }
  }

  private static void inTransaction(
      MongoClient client, MongoCollection<Document> things, Random chance) {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      try {
        int first = chance.nextInt(DOCUMENTS);
        for (int i = 0; i < 5; i++) { // some of them more than once
          change(session, things, (first + chance.nextInt(3)) % DOCUMENTS, chance);
        }
        session.commitTransaction();
      } catch (MongoException e) {
        if (!e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)) {
          throw e;
        }
      }
    }
  }

  private static void change(
      ClientSession session, MongoCollection<Document> things, int id, Random chance) {
    Bson filter = Filters.and(Filters.eq("p", "k" + id % 17), Filters.eq(id));
    var fresh = new Document("_id", id).append("p", "k" + id % 17).append("n", 0);
    int kind = chance.nextInt(8);
    try {
      if (session == null) {
        switch (kind) {
          case 0 -> things.deleteOne(filter);
          case 1, 2 -> things.insertOne(fresh);
          default -> things.updateOne(filter, Updates.inc("n", 1));
        }
      } else if (kind == 0) {
        things.deleteOne(session, filter);
      } else {
        things.updateOne(session, filter, Updates.inc("n", 1));
      }
    } catch (MongoException e) {
      if (e.getCode() != 11000) {
        throw e;
      }
    }
  }

  private void reshape(String uri, Random chance) {
    try (MongoClient client = connect(uri)) {
      var database = client.getDatabase("db");
      while (!isStopping) {
        var reply = database.runCommand(Document.parse("{listPartitions: 'things'}"));
        List<Document> partitions = reply.getList("partitions", Document.class);
        int index = chance.nextInt(partitions.size());
        int id = ((Number) partitions.get(index).get("id")).intValue();
        boolean isMerge = partitions.size() > 3 && index + 1 < partitions.size();
        int next = isMerge ? ((Number) partitions.get(index + 1).get("id")).intValue() : 0;
        String command =
            isMerge
                ? "{mergePartitions: 'things', partitions: [%d, %d]}".formatted(id, next)
                : "{splitPartition: 'things', partition: %d}".formatted(id);
        try {
          database.runCommand(Document.parse(command));
        } catch (com.mongodb.MongoCommandException e) {
          // No siblings, or gone in the meantime.
        }
        Thread.sleep(100);
      }
    } catch (MongoException e) {
      // The server was killed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets the consumer come to the end, and compares what it saw with what is there. */
  private void finish(PackagedServer server, Path journal) throws Exception {
    try (MongoClient client = connect(server.uri())) {
      MongoCollection<Document> things = client.getDatabase("db").getCollection("things");
      things.insertOne(new Document("_id", -1).append("p", "end").append("n", 0));
      Process consumer = start(server, journal);
      long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
      while (!copy(journal).containsKey(-1)) {
        assertThat(System.currentTimeMillis()).as("seed " + SEED).isLessThan(deadline);
        Thread.sleep(100);
      }
      consumer.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      var present = new TreeMap<Integer, Integer>();
      things.find().forEach(one -> present.put(one.getInteger("_id"), one.getInteger("n")));
      assertThat(copy(journal)).as("seed " + SEED).isEqualTo(present);
      assertThat(Files.readAllLines(journal)).hasSizeGreaterThan(KILLS * 10);
    }
  }

  /** What the events make, each of which must fit to those before it. */
  private static TreeMap<Integer, Integer> copy(Path journal) throws IOException {
    var copy = new TreeMap<Integer, Integer>();
    List<String> lines = Files.readAllLines(journal, StandardCharsets.UTF_8);
    for (String line : lines.subList(1, lines.size())) {
      BsonDocument event;
      try {
        event = BsonDocument.parse(line);
      } catch (RuntimeException e) {
        assertThat(line).isSameAs(lines.get(lines.size() - 1)); // it is just being written
        break;
      }
      apply(event, copy);
    }
    return copy;
  }

  private static void apply(BsonDocument event, TreeMap<Integer, Integer> copy) {
    int id = event.getDocument("documentKey").getInt32("_id").getValue();
    String what = event.toJson();
    switch (event.getString("operationType").getValue()) {
      case "insert" -> assertThat(copy.put(id, 0)).as(what).isNull();
      case "delete" -> assertThat(copy.remove(id)).as(what).isNotNull();
      case "update" -> {
        BsonValue n = event.getDocument("updateDescription").getDocument("updatedFields").get("n");
        assertThat(copy.put(id, n.asInt32().getValue()))
            .as(what)
            .isEqualTo(n.asInt32().getValue() - 1);
      }
      default -> throw new AssertionError(what);
    }
  }
}
