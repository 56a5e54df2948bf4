package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.TransactionOptions;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import dev.orrery.server.isolation.History;
import dev.orrery.server.isolation.History.End;
import dev.orrery.server.isolation.History.Ended;
import dev.orrery.server.isolation.History.Step;
import dev.orrery.server.isolation.SnapshotCheck;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Transactions over 16 partitions in a process of its own that is killed in between, while
 * partitions split and merge. Money moves between accounts, and no reader at a snapshot ever sees
 * another total; others append to lists and read them, and their history has nothing in it that
 * snapshot isolation forbids.
 *
 * <p>{@code -Dtransfers.rounds=20 -Dtransfers.millis=10000 -Dtransfers.seed=7} goes on for longer.
 */
class KilledTransactionsTest {
  private static final int ACCOUNTS = 50;
  private static final int LISTS = 8;
  private static final int ROUNDS = Integer.getInteger("transfers.rounds", 2);
  private static final long MILLIS = Long.getLong("transfers.millis", 3000);
  private static final int ROUND_WORK = 6;
  private static final long SEED = Long.getLong("transfers.seed", 1);

  @TempDir Path directory;

  private final History history = new History();
  private final AtomicInteger lastNumber = new AtomicInteger();
  private final AtomicInteger lastClient = new AtomicInteger();
  private final AtomicInteger transfers = new AtomicInteger();
  private final AtomicInteger sums = new AtomicInteger();
  private final AtomicInteger appended = new AtomicInteger();
  private volatile boolean isOver;

  @Test
  void noTotalChangesAndNoHistoryIsForbidden() throws Exception {
    var random = new Random(SEED);
    ExecutorService threads = Executors.newCachedThreadPool();
    for (int round = 0; round < ROUNDS; round++) {
      ServerProcess server = ServerProcess.start(directory, List.of("-Xmx256m"));
      try (MongoClient client = client(server)) {
        if (round == 0) {
          fill(client);
        }
        isOver = false;
        List<CompletableFuture<Void>> all = begin(client, threads, random);
        Thread.sleep(MILLIS / 2 + random.nextInt((int) MILLIS / 2));
        awaitWork(round + 1);
        server.kill();
        isOver = true;
        for (CompletableFuture<Void> one : all) {
          one.get(60, TimeUnit.SECONDS);
        }
      }
    }
    threads.shutdown();
    try (ServerProcess server = ServerProcess.start(directory, List.of("-Xmx256m"));
        MongoClient client = client(server)) {
      requireEnd(client);
    }
  }

  /** On a slow machine a round takes longer, or there would be nothing to check. */
  private void awaitWork(int rounds) throws Exception {
    Waiting.until(
        () -> Math.min(appended.get(), Math.min(transfers.get(), sums.get())),
        done -> done >= ROUND_WORK * rounds);
  }

  private static MongoClient client(ServerProcess server) {
    return MongoClients.create(
        "mongodb://127.0.0.1:%d/?uuidRepresentation=standard&serverSelectionTimeoutMS=1000"
            .formatted(server.port()));
  }

  private static MongoDatabase bank(MongoClient client) {
    return client.getDatabase("bank");
  }

  private static MongoCollection<Document> accounts(MongoClient client) {
    return bank(client).getCollection("accounts");
  }

  private static MongoCollection<Document> lists(MongoClient client) {
    return bank(client).getCollection("lists");
  }

  private static void fill(MongoClient client) {
    for (String name : List.of("accounts", "lists")) {
      client
          .getDatabase("admin")
          .runCommand(
              Document.parse(
                  "{shardCollection: 'bank.%s', key: {owner: 'hashed'}, numInitialChunks: 16}"
                      .formatted(name)));
    }
    for (int i = 0; i < ACCOUNTS; i++) {
      accounts(client)
          .insertOne(new Document("_id", i).append("owner", "o" + i).append("amount", 100L));
    }
    for (int i = 0; i < LISTS; i++) {
      lists(client)
          .insertOne(new Document("_id", i).append("owner", "o" + i).append("all", List.of()));
    }
  }

  private List<CompletableFuture<Void>> begin(
      MongoClient client, ExecutorService threads, Random random) {
    var all = new ArrayList<CompletableFuture<Void>>();
    for (int i = 0; i < 3; i++) {
      long seed = random.nextLong();
      all.add(CompletableFuture.runAsync(() -> transfer(client, new Random(seed)), threads));
      all.add(CompletableFuture.runAsync(() -> append(client, new Random(seed)), threads));
    }
    all.add(CompletableFuture.runAsync(() -> addUp(client), threads));
    all.add(CompletableFuture.runAsync(() -> addUpAtSnapshots(client), threads));
    long seed = random.nextLong();
    all.add(CompletableFuture.runAsync(() -> reshape(client, new Random(seed)), threads));
    return all;
  }

  private void transfer(MongoClient client, Random random) {
    while (!isOver) {
      try (ClientSession session = client.startSession()) {
        session.startTransaction();
        int from = random.nextInt(ACCOUNTS);
        int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        long amount = random.nextInt(20);
        var accounts = accounts(client);
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
        requireExpected(e);
      }
    }
  }

  /** Who is told that something failed may begin anew, unless the server was killed. */
  private static void requireExpected(MongoException e) {
    assertThat(
            e.getCode() < 0 // of the network, or no server
                || e.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))
        .as(e.toString())
        .isTrue();
  }

  private void addUp(MongoClient client) {
    while (!isOver) {
      try (ClientSession session = client.startSession()) {
        session.startTransaction(
            TransactionOptions.builder().readConcern(ReadConcern.SNAPSHOT).build());
        requireTotal(accounts(client).find(session).batchSize(7).into(new ArrayList<>()));
        session.commitTransaction();
      } catch (MongoException e) {
        requireExpected(e);
      }
    }
  }

  private void addUpAtSnapshots(MongoClient client) {
    while (!isOver) {
      try (ClientSession session =
          client.startSession(ClientSessionOptions.builder().snapshot(true).build())) {
        for (int i = 0; i < 3; i++) {
          requireTotal(accounts(client).find(session).into(new ArrayList<>()));
        }
      } catch (MongoException e) {
        assertThat(e.getCode()).as(e.toString()).isNotIn(1, 8); // refused, but never nonsense
      }
    }
  }

  private void requireTotal(List<Document> all) {
    assertThat(all).hasSize(ACCOUNTS);
    assertThat(all.stream().mapToLong(one -> one.getLong("amount")).sum())
        .isEqualTo(100L * ACCOUNTS);
    sums.incrementAndGet();
  }

  private void append(MongoClient client, Random random) {
    int id = lastClient.incrementAndGet();
    while (!isOver) {
      var steps = new ArrayList<Step>();
      End end = End.ABORTED;
      try (ClientSession session = client.startSession()) {
        session.startTransaction();
        for (int i = 2 + random.nextInt(3); i > 0; i--) {
          steps.add(step(client, session, random));
        }
        if (random.nextInt(6) == 0) {
          session.abortTransaction();
        } else {
          end = End.UNKNOWN;
          session.commitTransaction();
          end = End.COMMITTED;
          appended.incrementAndGet();
        }
      } catch (MongoException e) {
        requireExpected(e);
        // The commit of a transaction that is gone did nothing; any other may have done it.
        end = e.getCode() == 251 || end == End.ABORTED ? End.ABORTED : End.UNKNOWN;
      }
      history.add(new Ended(id, end, steps));
    }
  }

  private Step step(MongoClient client, ClientSession session, Random random) {
    int key = random.nextInt(LISTS);
    var which = Filters.eq("owner", "o" + key);
    if (random.nextBoolean()) {
      return Step.read(
          key, lists(client).find(session, which).first().getList("all", Integer.class));
    }
    int number = lastNumber.incrementAndGet();
    lists(client).updateOne(session, which, Updates.push("all", number));
    return Step.append(key, number);
  }

  /** Splits and merges, now here, now there. */
  private void reshape(MongoClient client, Random random) {
    while (!isOver) {
      String name = random.nextBoolean() ? "accounts" : "lists";
      try {
        List<Document> partitions =
            bank(client)
                .runCommand(new Document("listPartitions", name))
                .getList("partitions", Document.class);
        int which = random.nextInt(partitions.size());
        Object id = partitions.get(which).get("id");
        boolean isMerge = partitions.size() > 18 && which + 1 < partitions.size();
        bank(client)
            .runCommand(
                isMerge
                    ? new Document("mergePartitions", name)
                        .append("partitions", List.of(id, partitions.get(which + 1).get("id")))
                    : new Document("splitPartition", name).append("partition", id));
        Thread.sleep(50);
      } catch (MongoException e) {
        assertThat(e.getCode()).as(e.toString()).isNotEqualTo(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void requireEnd(MongoClient client) {
    requireTotal(accounts(client).find().into(new ArrayList<>()));
    var last = new ArrayList<Step>();
    for (Document list : lists(client).find()) {
      last.add(Step.read(list.getInteger("_id"), list.getList("all", Integer.class)));
    }
    history.add(new Ended(0, End.COMMITTED, last));
    assertThat(SnapshotCheck.anomalies(history)).as("seed %d", SEED).isEmpty();
    assertThat(last).hasSize(LISTS);
    assertThat(last.stream().mapToInt(one -> one.seen().size()).sum()).isPositive();
    for (String name : List.of("accounts", "lists")) {
      assertThat(bank(client).runCommand(new Document("validate", name)).getBoolean("valid"))
          .isTrue();
    }
  }
}
