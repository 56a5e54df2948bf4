package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Multi-document transactions, as the Java driver uses them. */
class TransactionsTest {
  private static final BsonDocument LSID =
      new BsonDocument(
          "id", new BsonBinary(UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")));

  private static TestServer server;
  private static MongoClient client;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    client = server.client("", "uuidRepresentation=standard");
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @BeforeEach
  void fill() {
    client.getDatabase("test").drop();
    books().insertOne(Document.parse("{_id: 1, author: 'a', v: 1}"));
    authors().insertOne(Document.parse("{_id: 'a', countOfBooks: 1}"));
  }

  private static MongoCollection<Document> books() {
    return client.getDatabase("test").getCollection("books");
  }

  private static MongoCollection<Document> authors() {
    return client.getDatabase("test").getCollection("authors");
  }

  private static int countOfBooks() {
    return authors().find().first().getInteger("countOfBooks");
  }

  private static void addBook(ClientSession session, int id) {
    books().insertOne(session, new Document("_id", id).append("author", "a").append("v", id));
    authors().updateOne(session, Filters.eq("a"), Updates.inc("countOfBooks", 1));
  }

  @Test
  void aBookAndTheCountOfItsAuthorChangeTogether() {
    try (ClientSession session = client.startSession()) {
      session.withTransaction(
          () -> {
            addBook(session, 2);
            assertThat(books().countDocuments(session)).isEqualTo(2);
            assertThat(books().countDocuments()).isEqualTo(1);
            return null;
          });
      assertThat(books().countDocuments()).isEqualTo(2);
      assertThat(countOfBooks()).isEqualTo(2);
      session.startTransaction();
      addBook(session, 3);
      session.abortTransaction();
    }
    assertThat(books().countDocuments()).isEqualTo(2);
    assertThat(countOfBooks()).isEqualTo(2);
  }

  @Test
  void ownWritesAreSeenThroughIndexesSortsAndGroups() {
    books().createIndex(Indexes.ascending("v"));
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      for (int i = 10; i > 5; i--) {
        books().insertOne(session, new Document("_id", i).append("v", i));
      }
      books().updateOne(session, Filters.eq(1), Updates.set("v", 7));
      books().deleteOne(session, Filters.eq(10));
      assertThat(
              books()
                  .find(session, Filters.gt("v", 6))
                  .sort(new Document("v", -1))
                  .map(TransactionsTest::value))
          .containsExactly(9, 8, 7, 7);
      assertThat(
              books()
                  .aggregate(
                      session, List.of(Document.parse("{$group: {_id: null, sum: {$sum: '$v'}}}")))
                  .first()
                  .getInteger("sum"))
          .isEqualTo(9 + 8 + 7 + 7 + 6);
      assertThat(books().distinct(session, "v", Integer.class)).contains(6, 7, 8, 9).hasSize(4);
      session.abortTransaction();
    }
  }

  private static int value(Document document) {
    return document.getInteger("v");
  }

  @Test
  void theSecondWriterFailsAndAReaderSeesNothing() {
    try (ClientSession first = client.startSession();
        ClientSession second = client.startSession()) {
      first.startTransaction();
      books().updateOne(first, Filters.eq(1), Updates.set("v", 2));
      second.startTransaction();
      MongoException conflict =
          catchThrowableOfType(
              MongoException.class,
              () -> books().updateOne(second, Filters.eq(1), Updates.set("v", 3)));
      assertThat(conflict.getCode()).isEqualTo(112);
      assertThat(conflict.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)).isTrue();
      assertThat(value(books().find(Filters.eq(1)).first())).isEqualTo(1);
      second.abortTransaction();
      first.commitTransaction();
    }
    assertThat(value(books().find(Filters.eq(1)).first())).isEqualTo(2);
  }

  @Test
  void aWriteOutsideWaitsForTheTransaction() throws Exception {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      books().updateOne(session, Filters.eq(1), Updates.set("v", 5));
      var waiting =
          CompletableFuture.runAsync(() -> books().updateOne(Filters.eq(1), Updates.inc("v", 100)));
      Thread.sleep(100);
      assertThat(waiting).isNotDone();
      session.commitTransaction();
      waiting.get(10, TimeUnit.SECONDS);
    }
    assertThat(value(books().find(Filters.eq(1)).first())).isEqualTo(105);
  }

  /** Snapshot isolation lets two transactions each rely on what the other one changes. */
  @Test
  void writeSkewIsAllowed() {
    books().insertOne(Document.parse("{_id: 2, v: 1}"));
    try (ClientSession first = client.startSession();
        ClientSession second = client.startSession()) {
      first.startTransaction();
      second.startTransaction();
      assertThat(sum(first)).isEqualTo(2);
      assertThat(sum(second)).isEqualTo(2);
      books().updateOne(first, Filters.eq(1), Updates.inc("v", -2));
      books().updateOne(second, Filters.eq(2), Updates.inc("v", -2));
      first.commitTransaction();
      second.commitTransaction();
    }
    assertThat(value(books().find(Filters.eq(1)).first())).isEqualTo(-1);
    assertThat(value(books().find(Filters.eq(2)).first())).isEqualTo(-1);
  }

  private static int sum(ClientSession session) {
    return books().find(session).map(TransactionsTest::value).into(new ArrayList<>()).stream()
        .mapToInt(each -> each)
        .sum();
  }

  @Test
  void whatEndsASessionFreesWhatItsTransactionHeld() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      books().updateOne(session, Filters.eq(1), Updates.set("v", 5));
      BsonDocument id = session.getServerSession().getIdentifier();
      client
          .getDatabase("admin")
          .runCommand(Document.parse("{killSessions: [" + id.toJson() + "]}"));
      books().updateOne(Filters.eq(1), Updates.set("v", 6));
      assertThatThrownBy(session::commitTransaction)
          .isInstanceOfSatisfying(
              MongoException.class, error -> assertThat(error.getCode()).isEqualTo(251));
    }
    assertThat(value(books().find(Filters.eq(1)).first())).isEqualTo(6);
  }

  @Test
  void aTransactionEndsWhenItsTimeIsOver() {
    admin("{setParameter: 1, transactionLifetimeLimitSeconds: 1}");
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      books().updateOne(session, Filters.eq(1), Updates.set("v", 5));
      books().updateOne(Filters.eq(1), Updates.set("v", 6)); // waits for the end
      assertThatThrownBy(session::commitTransaction).isInstanceOf(MongoException.class);
    } finally {
      admin("{setParameter: 1, transactionLifetimeLimitSeconds: 60}");
    }
    assertThat(value(books().find(Filters.eq(1)).first())).isEqualTo(6);
  }

  private static Document admin(String command) {
    return client.getDatabase("admin").runCommand(Document.parse(command));
  }

  @Test
  @Timeout(30)
  void aClientThatHasGoneHoldsNothing() throws IOException {
    ask(
        server,
        "{update: 'books', updates: [{q: {_id: 1}, u: {$set: {v: 5}}}], startTransaction: true,"
            + " $db: 'test'}",
        1);
    books().updateOne(Filters.eq(1), Updates.set("v", 6)); // waits until nobody comes back
    assertThat(value(books().find(Filters.eq(1)).first())).isEqualTo(6);
  }

  @Test
  void aSnapshotSessionReadsOnePoint() {
    try (ClientSession session =
        client.startSession(ClientSessionOptions.builder().snapshot(true).build())) {
      assertThat(value(books().find(session).first())).isEqualTo(1);
      books().updateOne(Filters.eq(1), Updates.set("v", 2));
      books().insertOne(Document.parse("{_id: 2, v: 3}"));
      assertThat(books().find(session).map(TransactionsTest::value)).containsExactly(1);
      assertThat(books().distinct(session, "v", Integer.class)).containsExactly(1);
    }
  }

  @Test
  @Tag("embedded") // how far back the past is known is up to the engine
  void thePastIsReadAtItsClusterTime() {
    books().createIndex(Indexes.ascending("v"));
    BsonTimestamp past;
    try (ClientSession session = client.startSession()) {
      books().updateOne(session, Filters.eq(1), Updates.set("v", 2));
      past = session.getOperationTime();
    }
    books().updateOne(Filters.eq(1), Updates.set("v", 3));
    books().insertOne(Document.parse("{_id: 2, v: 9}"));
    books().deleteOne(Filters.eq(1));
    Document command =
        Document.parse("{find: 'books', filter: {v: {$gt: 0}}, readConcern: {level: 'snapshot'}}");
    command.get("readConcern", Document.class).append("atClusterTime", past);
    Document reply = client.getDatabase("test").runCommand(command);
    assertThat(reply.get("cursor", Document.class).getList("firstBatch", Document.class))
        .extracting(TransactionsTest::value)
        .containsExactly(2);
  }

  private static BsonDocument ask(TestServer of, String command, long number) throws IOException {
    try (var connection = new RawConnection(of.port(), "127.0.0.1")) {
      BsonDocument sent = BsonDocument.parse(command);
      return connection.ask(
          sent.append("lsid", LSID)
              .append("txnNumber", new BsonInt64(number))
              .append("autocommit", BsonBoolean.FALSE));
    }
  }

  /** Whoever reads a name that means something else by now is told, and may begin anew. */
  @Test
  void aNameThatMeansAnotherCollectionIsNotReadInAnOldSnapshot() {
    for (Runnable change : changesOfBooks()) {
      fill();
      try (ClientSession session = client.startSession()) {
        session.startTransaction();
        assertThat(authors().find(session)).hasSize(1);
        change.run();
        MongoException refused =
            catchThrowableOfType(MongoException.class, () -> books().find(session).first());
        assertThat(refused.getCode()).isEqualTo(246);
        assertThat(refused.hasErrorLabel("TransientTransactionError")).isTrue();
      }
    }
  }

  /** Ways in which the name of a collection comes to stand for something else. */
  private static List<Runnable> changesOfBooks() {
    return List.of(
        () -> books().drop(),
        () -> {
          books().drop();
          books().insertOne(Document.parse("{_id: 7}"));
        },
        () -> rename("authors", "books"),
        () -> {
          rename("books", "gone");
          rename("authors", "books");
        },
        () -> authors().aggregate(List.of(Document.parse("{$out: 'books'}"))).toCollection());
  }

  /** An engine may keep no past; a transaction's point is kept by every one. */
  @Tag("embedded")
  @Test
  void aNameThatMeansAnotherCollectionIsNotReadAtAnOldTime() {
    for (Runnable change : changesOfBooks()) {
      fill();
      BsonTimestamp past;
      try (ClientSession session = client.startSession()) {
        assertThat(authors().find(session)).hasSize(1);
        past = session.getOperationTime();
      }
      change.run();
      assertThatThrownBy(() -> readAt(past, "{find: 'books'}")).hasMessageContaining("246");
      String joined =
          "{aggregate: 'other', pipeline: [{$unionWith: 'books'}], cursor: {batchSize: 9}}";
      client.getDatabase("test").getCollection("other").insertOne(new Document());
      assertThatThrownBy(() -> readAt(past, joined)).hasMessageContaining("246");
    }
  }

  private static void rename(String from, String to) {
    client
        .getDatabase("admin")
        .runCommand(
            new Document("renameCollection", "test." + from)
                .append("to", "test." + to)
                .append("dropTarget", true));
  }

  private static Document readAt(BsonTimestamp time, String command) {
    return client
        .getDatabase("test")
        .runCommand(
            Document.parse(command)
                .append(
                    "readConcern",
                    new Document("level", "snapshot").append("atClusterTime", time)));
  }

  @Test
  void aCommitIsAnsweredAgainAfterARestart(@TempDir Path directory) throws IOException {
    String commit = "{commitTransaction: 1, $db: 'admin'}";
    try (TestServer first = TestServer.start("--data=" + directory)) {
      ask(first, "{insert: 'c', documents: [{_id: 1}], startTransaction: true, $db: 'test'}", 7);
      assertThat(ask(first, commit, 7).getNumber("ok").intValue()).isEqualTo(1);
    }
    try (TestServer second = TestServer.start("--data=" + directory);
        MongoClient other = second.client("", "")) {
      assertThat(other.getDatabase("test").getCollection("c").countDocuments()).isEqualTo(1);
      assertThat(ask(second, commit, 7).getNumber("ok").intValue()).isEqualTo(1);
      assertThat(ask(second, commit, 99).getNumber("code").intValue()).isEqualTo(251);
    }
  }

  @Test
  void aTransactionThatCostsTooMuchIsToBeTriedAgain() {
    client
        .getDatabase("test")
        .runCommand(
            Document.parse(
                "{customAction: 'CreateCollection', collection: 'limited', offerThroughput: 400}"));
    MongoCollection<Document> limited = client.getDatabase("test").getCollection("limited");
    Document large = new Document("text", "x".repeat(100_000));
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      MongoException refused =
          catchThrowableOfType(
              MongoException.class,
              () -> {
                for (int i = 0; i < 200; i++) {
                  limited.insertOne(session, new Document(large));
                }
              });
      assertThat(refused.getCode()).isEqualTo(16500);
      assertThat(refused.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)).isTrue();
      assertThatThrownBy(session::commitTransaction).isInstanceOf(MongoException.class);
    }
    assertThat(paidCount(limited)).isZero();
  }

  /** Waits until there are request units for it. */
  private static long paidCount(MongoCollection<Document> limited) {
    for (; ; ) {
      try {
        return limited.countDocuments();
      } catch (MongoException e) {
        assertThat(e.getCode()).isEqualTo(16500);
      }
    }
  }

  @Test
  void timeSeriesAndViewsWithOtherCollectionsAreRefused() {
    client
        .getDatabase("test")
        .runCommand(Document.parse("{create: 'ts', timeseries: {timeField: 't'}}"));
    client
        .getDatabase("test")
        .createView("both", "books", List.of(Document.parse("{$unionWith: 'authors'}")));
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      var measurement = new Document("t", new Date());
      requireRefused(
          () -> client.getDatabase("test").getCollection("ts").insertOne(session, measurement));
      session.abortTransaction();
      session.startTransaction();
      requireRefused(() -> client.getDatabase("test").getCollection("both").find(session).first());
      session.abortTransaction();
    }
  }

  private static void requireRefused(Runnable work) {
    MongoException refused = catchThrowableOfType(MongoException.class, work::run);
    assertThat(refused.getCode()).isEqualTo(263);
  }

  @Test
  void theLifetimeIsAtLeastASecondAndThePastHasATime() {
    for (String bad : List.of("0", "-5", "2147483648")) {
      assertThatThrownBy(
              () -> admin("{setParameter: 1, transactionLifetimeLimitSeconds: " + bad + "}"))
          .hasMessageContaining("Invalid value for parameter transactionLifetimeLimitSeconds");
    }
    Document find =
        Document.parse(
            "{find: 'books', readConcern: {level: 'snapshot', atClusterTime: {$timestamp: {t: 0, i:"
                + " 0}}}}");
    assertThatThrownBy(() -> client.getDatabase("test").runCommand(find))
        .isInstanceOfSatisfying(
            MongoException.class, error -> assertThat(error.getCode()).isEqualTo(72));
  }

  @Test
  void whatATransactionCreatesGoesWithIt() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      client.getDatabase("test").createCollection(session, "made");
      client.getDatabase("test").getCollection("made").createIndex(session, Indexes.ascending("x"));
      client.getDatabase("test").getCollection("made").insertOne(session, new Document("x", 1));
      assertThat(
              client
                  .getDatabase("test")
                  .getCollection("made")
                  .find(session, Filters.eq("x", 1))
                  .first())
          .isNotNull();
      session.abortTransaction();
    }
    assertThat(client.getDatabase("test").listCollectionNames()).doesNotContain("made");
  }
}
