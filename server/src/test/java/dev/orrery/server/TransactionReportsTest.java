package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What those who look after a server see of transactions, and how they end them. */
@Timeout(60)
class TransactionReportsTest {
  private static TestServer server;
  private static MongoClient client;
  private static MongoDatabase admin;
  private static MongoCollection<Document> things;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--ephemeral");
    client = server.client("", "uuidRepresentation=standard");
    admin = client.getDatabase("admin");
    things = client.getDatabase("test").getCollection("things");
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @BeforeEach
  void fill() {
    things.drop();
    things.insertOne(new Document("_id", 1).append("v", 1));
  }

  private static List<Document> current(String filter) {
    return admin
        .runCommand(Document.parse("{currentOp: 1, " + filter + "}"))
        .getList("inprog", Document.class);
  }

  @Test
  void anOpenTransactionIsShownAndCounted() {
    Document before = counts();
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      things.updateOne(session, Filters.eq(1), Updates.inc("v", 1));
      Document shown = current("type: 'idleSession'").get(0);
      assertThat(shown).containsEntry("desc", "inactive transaction").containsKey("lsid");
      Document transaction = shown.get("transaction", Document.class);
      assertThat(transaction.get("parameters", Document.class))
          .containsEntry("txnNumber", session.getServerSession().getTransactionNumber())
          .containsEntry("autocommit", false);
      assertThat(transaction.getLong("timeOpenMicros"))
          .isEqualTo(
              transaction.getLong("timeActiveMicros") + transaction.getLong("timeInactiveMicros"));
      assertThat(transaction).containsKeys("startWallClockTime", "expiryTime");
      assertThat(counts().getLong("currentInactive")).isEqualTo(1);
      session.commitTransaction();
    }
    assertThat(current("type: 'idleSession'")).isEmpty();
    assertThat(counts().getLong("totalCommitted") - before.getLong("totalCommitted")).isEqualTo(1);
    assertThat(counts().getLong("currentOpen")).isZero();
  }

  private static Document counts() {
    return admin.runCommand(new Document("serverStatus", 1)).get("transactions", Document.class);
  }

  @Test
  void aCommitIsWrittenDown() {
    Object id;
    long number;
    try (ClientSession session = client.startSession()) {
      session.withTransaction(() -> things.updateOne(session, Filters.eq(1), Updates.inc("v", 1)));
      id = session.getServerSession().getIdentifier().getBinary("id").asUuid();
      number = session.getServerSession().getTransactionNumber();
    }
    Document record =
        client
            .getDatabase("config")
            .getCollection("transactions")
            .find(Filters.eq("_id.id", id))
            .first();
    assertThat(record).containsEntry("txnNum", number).containsEntry("state", "committed");
  }

  /** An operation that is killed ends its transaction, and frees what that held. */
  @Test
  void killOpEndsATransaction() throws Exception {
    try (ClientSession holder = client.startSession()) {
      holder.startTransaction();
      things.updateOne(holder, Filters.eq(1), Updates.inc("v", 1));
      var slow = CompletableFuture.supplyAsync(() -> slow(holder));
      Document running =
          Waiting.until(
                  () -> current("active: true, 'command.aggregate': 'things'"),
                  found -> !found.isEmpty())
              .get(0);
      assertThat(running.get("transaction", Document.class)).containsKey("parameters");
      admin.runCommand(new Document("killOp", 1).append("op", running.get("opid")));
      CompletionException killed = catchThrowableOfType(CompletionException.class, slow::join);
      assertThat(((MongoException) killed.getCause()).getCode()).isEqualTo(11601);
      assertThat(things.updateOne(Filters.eq(1), Updates.inc("v", 1)).getModifiedCount())
          .isEqualTo(1);
      MongoException gone = catchThrowableOfType(MongoException.class, holder::commitTransaction);
      assertThat(gone.getCode()).isEqualTo(251);
    }
    assertThat(things.find().first()).containsEntry("v", 2);
  }

  /** An expression that goes on for very long. */
  private static Document slow(ClientSession session) {
    return things
        .aggregate(
            session,
            List.of(
                Document.parse(
                    "{$project: {x: {$reduce: {input: {$range: [0, 1000000]}, initialValue: 0, in:"
                        + " {$sum: {$map: {input: {$range: [0, 1000]}, in: '$$this'}}}}}}}")))
        .first();
  }

  @Test
  void aWriteOutsideGivesUpAfterItsTime() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      things.updateOne(session, Filters.eq(1), Updates.inc("v", 1));
      long start = System.nanoTime();
      MongoException late =
          catchThrowableOfType(
              MongoException.class,
              () ->
                  client
                      .getDatabase("test")
                      .runCommand(
                          Document.parse(
                              "{update: 'things', maxTimeMS: 300,"
                                  + " updates: [{q: {_id: 1}, u: {$inc: {v: 1}}}]}")));
      assertThat(late.getCode()).isEqualTo(50);
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(299));
      session.commitTransaction();
    }
    assertThat(things.find().first()).containsEntry("v", 2);
  }
}
