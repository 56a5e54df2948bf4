package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/**
 * Money moves between accounts while others add it up, and partitions split: whoever adds up sees
 * the same sum, always.
 */
class TransfersTest {
  private static final int ACCOUNTS = 50;
  private static final int WRITERS = 4;
  private static final int READERS = 2;
  private static final long MILLIS = Long.getLong("transfers.millis", 4000);

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger transfers = new AtomicInteger();
  private final AtomicInteger sums = new AtomicInteger();

  @Test
  void theTotalNeverChanges() throws Exception {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "uuidRepresentation=standard")) {
      MongoCollection<Document> accounts = accounts(client);
      var all = new ArrayList<CompletableFuture<Void>>();
      var threads = Executors.newCachedThreadPool(); // a common one may have too few
      for (int i = 0; i < WRITERS; i++) {
        int seed = i;
        all.add(CompletableFuture.runAsync(() -> transfer(client, new Random(seed)), threads));
      }
      for (int i = 0; i < READERS; i++) {
        all.add(CompletableFuture.runAsync(() -> addUp(client), threads));
      }
      all.add(CompletableFuture.runAsync(() -> split(client), threads));
      Thread.sleep(MILLIS);
      isOver.set(true);
      for (CompletableFuture<Void> one : all) {
        one.get(60, TimeUnit.SECONDS);
      }
      threads.shutdown();
      assertThat(sum(accounts.find().into(new ArrayList<>()))).isEqualTo(100L * ACCOUNTS);
      assertThat(transfers.get()).isGreaterThan(20);
      assertThat(sums.get()).isGreaterThan(5);
      Document valid =
          client.getDatabase("bank").runCommand(Document.parse("{validate: 'accounts'}"));
      assertThat(valid.getBoolean("valid")).isTrue();
    }
  }

  private static MongoCollection<Document> accounts(MongoClient client) throws IOException {
    client
        .getDatabase("admin")
        .runCommand(
            Document.parse(
                "{shardCollection: 'bank.accounts', key: {owner: 'hashed'}, numInitialChunks: 16}"));
    MongoCollection<Document> accounts = client.getDatabase("bank").getCollection("accounts");
    for (int i = 0; i < ACCOUNTS; i++) {
      accounts.insertOne(new Document("_id", i).append("owner", "o" + i).append("amount", 100L));
    }
    return accounts;
  }

  private void transfer(MongoClient client, Random random) {
    MongoCollection<Document> accounts = client.getDatabase("bank").getCollection("accounts");
    try (ClientSession session = client.startSession()) {
      while (!isOver.get()) {
        int from = random.nextInt(ACCOUNTS);
        int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        long amount = random.nextInt(20);
        session.startTransaction();
        try {
          accounts.updateOne(
              session, Filters.eq("owner", "o" + from), Updates.inc("amount", -amount));
          accounts.updateOne(session, Filters.eq("owner", "o" + to), Updates.inc("amount", amount));
          if (random.nextInt(5) == 0) {
            session.abortTransaction();
          } else {
            session.commitTransaction();
            transfers.incrementAndGet();
          }
        } catch (MongoException e) {
          assertThat(e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))
              .as(e.toString())
              .isTrue();
          if (session.hasActiveTransaction()) {
            session.abortTransaction();
          }
        }
      }
    }
  }

  private void addUp(MongoClient client) {
    MongoCollection<Document> accounts = client.getDatabase("bank").getCollection("accounts");
    try (ClientSession session = client.startSession()) {
      while (!isOver.get()) {
        session.startTransaction();
        var all = accounts.find(session).batchSize(7).into(new ArrayList<>());
        assertThat(all).hasSize(ACCOUNTS);
        assertThat(sum(all)).isEqualTo(100L * ACCOUNTS);
        session.commitTransaction();
        sums.incrementAndGet();
      }
    }
  }

  private static long sum(List<Document> accounts) {
    return accounts.stream().mapToLong(one -> one.getLong("amount")).sum();
  }

  private void split(MongoClient client) {
    while (!isOver.get()) {
      try {
        List<Document> partitions =
            client
                .getDatabase("bank")
                .runCommand(Document.parse("{listPartitions: 'accounts'}"))
                .getList("partitions", Document.class);
        Object first = partitions.get(0).get("id");
        client
            .getDatabase("bank")
            .runCommand(new Document("splitPartition", "accounts").append("partition", first));
        Thread.sleep(300);
      } catch (MongoException e) {
        assertThat(e.getMessage()).doesNotContain("Internal");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
