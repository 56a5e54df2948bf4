package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.CursorType;
import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What runs is seen by others, and ends when they want it. */
class OperationsTest {
  private static final int DOCUMENTS = 2000;
  private static final int ATTEMPTS_MAX = 2000;

  /** Reads the collection once for each pair of its documents: longer than anybody waits. */
  private static final String ENDLESS =
      """
      {aggregate: 'c', cursor: {}, comment: 'endless', pipeline: [
        {$lookup: {from: 'c', as: 'x', let: {w: '$_id'}, pipeline: [
          {$lookup: {from: 'c', as: 'y', let: {v: '$_id'}, pipeline: [
            {$match: {$expr: {$and: [{$eq: ['$$v', -1]}, {$eq: ['$$w', -1]}]}}}]}},
          {$match: {y: 'never'}}]}}]}
      """;

  private static TestServer server;
  private static MongoClient admin;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    admin = server.client("", "appName=watcher");
    var documents = new ArrayList<Document>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(new Document("_id", i));
    }
    admin.getDatabase("test").getCollection("c").insertMany(documents);
  }

  @AfterAll
  static void stop() {
    admin.close();
    server.close();
  }

  private static Document run(String command) {
    return admin.getDatabase("admin").runCommand(Document.parse(command));
  }

  private static List<Document> running(String filter) {
    return run("{currentOp: 1, " + filter + "}").getList("inprog", Document.class);
  }

  /** Waits until it is listed, and gives it as it is listed. */
  private static Document awaitRunning(String filter) throws InterruptedException {
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
      List<Document> found = running(filter);
      if (!found.isEmpty()) {
        return found.get(0);
      }
      Thread.sleep(5);
    }
    throw new AssertionError("never seen: " + filter);
  }

  private static void awaitEnd(String filter) throws InterruptedException {
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
      if (running(filter).isEmpty()) {
        return;
      }
      Thread.sleep(5);
    }
    throw new AssertionError("never ended: " + filter);
  }

  private static CompletableFuture<Integer> codeOf(MongoClient client, String command) {
    MongoDatabase database = client.getDatabase("test");
    // The common pool may have one thread only, and some of these commands wait.
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            database.runCommand(Document.parse(command));
            return 0;
          } catch (MongoCommandException e) {
            return e.getErrorCode();
          }
        },
        task -> new Thread(task).start());
  }

  @Test
  void aRunningOperationIsShownAndKilled() throws Exception {
    try (MongoClient client = server.client("", "appName=worker")) {
      CompletableFuture<Integer> code = codeOf(client, ENDLESS);
      Document shown = awaitRunning("appName: 'worker', ns: 'test.c'");
      assertThat(shown.getString("ns")).isEqualTo("test.c");
      assertThat(shown.getString("type")).isEqualTo("op");
      assertThat(shown.getBoolean("active")).isTrue();
      assertThat(shown.getString("client")).startsWith("127.0.0.1:");
      assertThat(shown.getLong("microsecs_running")).isPositive();
      assertThat(shown.get("secs_running")).isInstanceOf(Long.class);
      assertThat(shown.get("command", Document.class)).containsEntry("comment", "endless");
      assertThat(shown.get("lsid", Document.class)).containsKeys("id", "uid");
      assertThat(shown.get("requestCharge")).isInstanceOf(Double.class);
      assertThat(shown).doesNotContainKey("killPending");
      int id = shown.getInteger("opid");
      assertThat(run("{killOp: 1, op: " + id + "}")).containsEntry("info", "attempting to kill op");
      assertThat(code.get()).isEqualTo(11601);
      awaitEnd("opid: " + id);
    }
  }

  @Test
  void aPlanIsShownWhereThereIsOne() throws Exception {
    try (MongoClient client = server.client("", "appName=planner")) {
      CompletableFuture<Integer> code = codeOf(client, ENDLESS);
      Document shown = awaitRunning("appName: 'planner', planSummary: {$exists: true}");
      assertThat(shown).containsEntry("planSummary", "COLLSCAN");
      run("{killOp: 1, op: " + shown.getInteger("opid") + "}");
      assertThat(code.get()).isEqualTo(11601);
    }
  }

  @Test
  void aReadEndsWithItsClient() throws Exception {
    String which = "'command.comment': 'endless', 'lsid.id': {$exists: false}";
    try (var socket = new Socket("127.0.0.1", server.port())) {
      socket.getOutputStream().write(message(ENDLESS));
      awaitRunning(which);
    }
    awaitEnd(which);
  }

  @Test
  void aWriteWhoseClientIsGoneIsShownAndKilled() throws Exception {
    String which = "'command.comment': 'endless write'";
    String loop = "{$map: {input: {$range: [0, 1000000]}, in: %s}}";
    String update =
        "{update: 'c', comment: 'endless write', updates: [{q: {_id: {$gt: 1}}, u: [{$set: {a: {$size:"
            + " %s}}}]}]}";
    try (var socket = new Socket("127.0.0.1", server.port())) {
      String endless = loop.formatted("{$size: " + loop.formatted("'$_id'") + "}");
      socket.getOutputStream().write(message(update.formatted(endless)));
      awaitRunning(which);
    }
    Thread.sleep(500); // the server has noticed, and goes on: a write is not undone by a hang-up
    Document shown = awaitRunning(which);
    run("{killOp: 1, op: " + shown.getInteger("opid") + "}");
    awaitEnd(which);
  }

  /** The command as an OP_MSG. */
  private static byte[] message(String command) {
    BsonDocument document = BsonDocument.parse(command).append("$db", new BsonString("test"));
    byte[] body = RawDocument.of(document).toByteArray();
    int length = 16 + 4 + 1 + body.length;
    return ByteBuffer.allocate(length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(length)
        .putInt(1)
        .putInt(0)
        .putInt(2013)
        .putInt(0)
        .put((byte) 0)
        .put(body)
        .array();
  }

  @Test
  void currentOpShowsItselfAndIdleConnectionsOnRequest() {
    assertThat(running("'command.currentOp': 1"))
        .singleElement()
        .satisfies(self -> assertThat(self).containsEntry("ns", "admin.$cmd"));
    assertThat(running("active: false")).isEmpty();
    assertThat(running("$all: true, active: false, type: 'op'")).isNotEmpty();
  }

  @Test
  void theStageShowsTheSameAndRefusesUnknownOptions() {
    MongoDatabase database = admin.getDatabase("admin");
    List<Document> shown =
        database
            .aggregate(
                List.of(
                    Document.parse("{$currentOp: {allUsers: true}}"),
                    Document.parse("{$match: {ns: 'admin.$cmd.aggregate'}}")))
            .into(new ArrayList<>());
    assertThat(shown).hasSize(1);
    assertThat(shown.get(0)).containsEntry("appName", "watcher");
    assertThat(errorOf("{$currentOp: {foo: true}}"))
        .isEqualTo("Unrecognized option 'foo' in $currentOp stage.");
    assertThat(errorOf("{$currentOp: {allUsers: 1}}"))
        .isEqualTo(
            "The 'allUsers' parameter of the $currentOp stage must be a boolean value, but found:"
                + " int");
  }

  private static String errorOf(String stage) {
    try {
      run("{aggregate: 1, cursor: {}, pipeline: [" + stage + "]}");
      return "";
    } catch (MongoCommandException e) {
      return e.getErrorMessage();
    }
  }

  @Test
  void openCursorsAreShownOnRequest() {
    var cursor = admin.getDatabase("test").getCollection("c").find().batchSize(7).iterator();
    cursor.next();
    try (cursor) {
      List<Document> shown = running("$all: true, type: 'idleCursor', ns: 'test.c'");
      assertThat(shown)
          .anySatisfy(
              each ->
                  assertThat(each.get("cursor", Document.class))
                      .containsEntry("nDocsReturned", 7L)
                      .containsEntry("nBatchesReturned", 1L)
                      .containsEntry("cursorId", cursor.getServerCursor().getId()));
    }
  }

  @Test
  void aLockHoldsWritesBackAndLetsReadsThrough() throws Exception {
    Document locked = run("{fsync: 1, lock: true}");
    assertThat(locked).containsEntry("lockCount", 1L).containsKeys("info", "seeAlso");
    assertThat(run("{fsync: 1, lock: true}")).containsEntry("lockCount", 2L);
    try (MongoClient client = server.client("", "")) {
      String insert = "{insert: 'locked', documents: [{_id: 1}]}";
      CompletableFuture<Integer> code = codeOf(client, insert);
      String find = "{find: 'locked'}";
      assertThat(codeOf(client, find).get()).isZero();
      assertThat(run("{fsyncUnlock: 1}")).containsEntry("lockCount", 1L);
      assertThat(admin.getDatabase("test").getCollection("locked").countDocuments()).isZero();
      assertThat(code).isNotDone();
      assertThat(run("{fsyncUnlock: 1}")).containsEntry("lockCount", 0L);
      assertThat(code.get()).isZero();
      assertThat(admin.getDatabase("test").getCollection("locked").countDocuments()).isOne();
    }
  }

  @Test
  void aGetMoreThatWaitsMayTakeItsTime() {
    MongoDatabase database = admin.getDatabase("test");
    database.runCommand(Document.parse("{create: 'capped', capped: true, size: 4096}"));
    database.getCollection("capped").insertOne(new Document("_id", 1));
    try (var cursor =
        database
            .getCollection("capped")
            .find()
            .cursorType(CursorType.TailableAwait)
            .maxAwaitTime(30, TimeUnit.MILLISECONDS)
            .iterator()) {
      assertThat(cursor.next()).containsEntry("_id", 1);
      assertThat(cursor.tryNext()).isNull();
      assertThat(cursor.tryNext()).isNull();
    }
  }

  @Test
  void numbersThatNoOperationHasAreRefused() {
    try {
      run("{killOp: 1, op: {$numberLong: '9999999999'}}");
      throw new AssertionError("not refused");
    } catch (MongoCommandException e) {
      assertThat(e.getErrorCode()).isEqualTo(26823);
    }
  }
}
