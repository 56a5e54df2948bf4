package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Updates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes that wait for what a transaction has changed hold up nobody else. */
@Timeout(60)
class WaitingWritersTest {
  private static final int MANY = 200; // more than there are threads

  private TestServer server;
  private MongoClient client;
  private MongoCollection<Document> held;
  private final List<RawConnection> connections = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start();
    client = server.client("", "uuidRepresentation=standard");
    held = client.getDatabase("test").getCollection("held");
    held.insertOne(Document.parse("{_id: 1, n: 0, e: 'first'}"));
    held.createIndex(new Document("e", 1), new IndexOptions().unique(true));
  }

  @AfterEach
  void stop() throws IOException {
    for (RawConnection connection : connections) {
      connection.close();
    }
    client.close();
    if (server != null) {
      server.close();
    }
  }

  private ClientSession hold() {
    ClientSession session = client.startSession();
    session.startTransaction();
    held.updateOne(session, Filters.eq(1), Updates.combine(Updates.inc("n", 1000)));
    return session;
  }

  private RawConnection send(String command) throws IOException {
    return send(BsonDocument.parse(command));
  }

  private RawConnection send(BsonDocument command) throws IOException {
    var connection = new RawConnection(server.port(), "127.0.0.1");
    connections.add(connection);
    connection.send(command);
    return connection;
  }

  /** Until so many writes of the collection are at work. */
  private void awaitAtWork(int count) throws InterruptedException {
    for (int i = 0; i < 1000 && atWork().size() != count; i++) {
      Thread.sleep(10);
    }
    assertThat(atWork()).hasSize(count);
  }

  private List<Document> atWork() {
    return client
        .getDatabase("admin")
        .runCommand(Document.parse("{currentOp: 1, ns: 'test.held', active: true}"))
        .getList("inprog", Document.class);
  }

  private int n() {
    return held.find(Filters.eq(1)).first().getInteger("n");
  }

  @Test
  void theHolderAndAllOthersGoOnWhileManyWait() throws Exception {
    List<String> writes =
        List.of(
            "{update: 'held', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}}]}",
            "{update: 'held', updates: [{q: {n: {$gte: 0}}, u: {$inc: {n: 1}}, multi: true}]}",
            "{findAndModify: 'held', query: {_id: 1}, update: {$inc: {n: 1}}}",
            "{update: 'held', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}, upsert: true}]}");
    try (ClientSession session = hold()) {
      for (int i = 0; i < MANY; i++) {
        send(writes.get(i % writes.size()));
      }
      awaitAtWork(MANY);
      long start = System.nanoTime();
      MongoCollection<Document> other = client.getDatabase("test").getCollection("other");
      other.insertMany(session, List.of(new Document(), new Document()));
      assertThat(other.countDocuments()).isZero();
      assertThat(other.aggregate(session, List.of(new Document("$sort", new Document("a", 1)))))
          .hasSize(2);
      held.updateOne(session, Filters.eq(1), Updates.inc("n", 1000));
      session.commitTransaction();
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(5));
    }
    for (RawConnection connection : connections) {
      assertThat(connection.receive().getNumber("ok").intValue()).isEqualTo(1);
    }
    assertThat(n()).isEqualTo(2000 + MANY);
  }

  @Test
  void aWriteOfManyGoesOnWhereItWas() throws Exception {
    held.insertMany(
        IntStream.range(2, 900)
            .mapToObj(i -> new Document("_id", i).append("n", 0).append("e", "e" + i))
            .toList());
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      held.updateOne(session, Filters.eq(700), Updates.set("held", true));
      RawConnection update =
          send("{update: 'held', updates: [{q: {}, u: {$inc: {n: 1}}, multi: true}]}");
      awaitAtWork(1);
      session.commitTransaction();
      assertThat(update.receive().getNumber("nModified").intValue()).isEqualTo(899);
      assertThat(held.countDocuments(Filters.eq("n", 1))).isEqualTo(899);
      session.startTransaction();
      held.updateOne(session, Filters.eq(800), Updates.set("held", true));
      RawConnection delete =
          send("{delete: 'held', deletes: [{q: {_id: {$gt: 1}}, limit: 0}], ordered: false}");
      awaitAtWork(1);
      session.commitTransaction();
      assertThat(delete.receive().getNumber("n").intValue()).isEqualTo(898);
    }
  }

  /** One of them fails by its key, another one has to wait: each is carried out once. */
  @Test
  void aRetryableInsertOfManyGoesOnWhereItWas() throws Exception {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      held.insertOne(session, Document.parse("{_id: 100, e: 'wanted'}"));
      BsonDocument insert =
          BsonDocument.parse(
                  "{insert: 'held', ordered: false, documents: [{_id: 11, e: 'a'}, {_id: 12, e:"
                      + " 'first'}, {_id: 13, e: 'wanted'}, {_id: 14, e: 'b'}]}")
              .append("lsid", new BsonDocument("id", new BsonBinary(UUID.randomUUID())))
              .append("txnNumber", new BsonInt64(1));
      RawConnection first = send(insert);
      awaitAtWork(1);
      RawConnection again = send(insert);
      awaitAtWork(2);
      session.abortTransaction();
      for (RawConnection each : List.of(first, again)) {
        BsonDocument reply = each.receive();
        assertThat(reply.getNumber("n").intValue()).isEqualTo(3);
        assertThat(reply.getArray("writeErrors")).hasSize(1);
      }
    }
    assertThat(held.countDocuments()).isEqualTo(4);
  }

  @Test
  void aWaitEndsWithItsTimeByKillOpAndWithItsClient() throws Exception {
    try (ClientSession session = hold()) {
      RawConnection late =
          send(
              "{update: 'held', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}}], maxTimeMS: 100,"
                  + " comment: 'late'}");
      assertThat(late.receive().getNumber("code").intValue()).isEqualTo(50);
      RawConnection killed = send("{delete: 'held', deletes: [{q: {_id: 1}, limit: 1}]}");
      awaitAtWork(1);
      client
          .getDatabase("admin")
          .runCommand(new Document("killOp", 1).append("op", atWork().get(0).get("opid")));
      assertThat(killed.receive().getNumber("code").intValue()).isEqualTo(11601);
      RawConnection gone = send("{update: 'held', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}}]}");
      awaitAtWork(1);
      gone.close();
      awaitAtWork(0);
      session.commitTransaction();
    }
    assertThat(n()).isEqualTo(1000);
  }

  @Test
  void aStopEndsThoseWhoWaitAtOnce() throws Exception {
    ClientSession session = hold();
    RawConnection writer = send("{update: 'held', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}}]}");
    awaitAtWork(1);
    RawConnection follower =
        send("{aggregate: 'other', pipeline: [{$changeStream: {}}], cursor: {}}");
    long id = follower.receive().getDocument("cursor").getNumber("id").longValue();
    follower.send(
        BsonDocument.parse("{getMore: {$numberLong: '%d'}, collection: 'other'}".formatted(id))
            .append("maxTimeMS", new BsonInt64(30_000)));
    Thread.sleep(100);
    long start = System.nanoTime();
    server.close();
    server = null;
    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(4));
    assertThat(follower.receive().getNumber("code").intValue()).isEqualTo(11600);
    assertThat(writer.receive().getNumber("code").intValue()).isEqualTo(11600);
    session.close();
  }
}
