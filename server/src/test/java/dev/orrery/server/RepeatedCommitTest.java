package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was committed stays committed, whatever becomes of its session or the server. */
class RepeatedCommitTest {
  private static final int TOO_OLD = 225;
  private static final int COMMITTED = 256;
  private static final int NO_SUCH_TRANSACTION = 251;
  private static final int IN_PROGRESS = 117;
  private static final String UPDATE =
      "{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}, upsert: true}]}";
  private static final String FIND = "{find: 'c'}";
  private static final String COMMIT = "{commitTransaction: 1, $db: 'admin'}";
  private static final String ABORT = "{abortTransaction: 1, $db: 'admin'}";

  @TempDir private Path data;
  private TestServer server;
  private RawConnection connection;
  private BsonDocument session;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start("--data=" + data);
    connection = new RawConnection(server.port(), "127.0.0.1");
    session = new BsonDocument("id", new BsonBinary(UUID.randomUUID()));
  }

  @AfterEach
  void stop() throws IOException {
    connection.close();
    server.close();
  }

  private BsonDocument inTransaction(String command, long number) {
    return BsonDocument.parse(command)
        .append("lsid", session)
        .append("txnNumber", new BsonInt64(number))
        .append("autocommit", BsonBoolean.FALSE);
  }

  /** The code of the answer; 0 when it is fine. */
  private int code(BsonDocument command) throws IOException {
    BsonDocument reply = connection.ask(command);
    return reply.containsKey("code") ? reply.getNumber("code").intValue() : 0;
  }

  private int ask(String command, long number) throws IOException {
    return code(inTransaction(command, number));
  }

  private int begin(String command, long number) throws IOException {
    return code(inTransaction(command, number).append("startTransaction", BsonBoolean.TRUE));
  }

  private void commit(String command, long number) throws IOException {
    assertThat(begin(command, number)).isZero();
    assertThat(ask(COMMIT, number)).isZero();
  }

  private int retryableWrite(long number) throws IOException {
    return code(
        BsonDocument.parse("{insert: 'other', documents: [{}]}")
            .append("lsid", session)
            .append("txnNumber", new BsonInt64(number)));
  }

  private void requireCommitted(long number) throws IOException {
    assertThat(retryableWrite(number - 1)).isEqualTo(TOO_OLD);
    assertThat(begin(UPDATE, number - 1)).isEqualTo(TOO_OLD);
    assertThat(ask(COMMIT, number - 1)).isEqualTo(TOO_OLD);
    assertThat(ask(FIND, number - 1)).isEqualTo(TOO_OLD);
    assertThat(begin(UPDATE, number)).isEqualTo(IN_PROGRESS);
    assertThat(ask(ABORT, number)).isEqualTo(COMMITTED);
    assertThat(ask(FIND, number)).isEqualTo(COMMITTED);
    assertThat(ask(COMMIT, number)).isZero();
    assertThat(ask(COMMIT, number + 1)).isEqualTo(NO_SUCH_TRANSACTION);
    assertThat(ask(COMMIT, number)).isZero();
  }

  @Test
  void whoeverEndsTheSession() throws IOException {
    for (String end : List.of("endSessions", "killSessions", "killAllSessions")) {
      session = new BsonDocument("id", new BsonBinary(UUID.randomUUID()));
      for (String statement : List.of(UPDATE, FIND)) {
        long number = statement.equals(UPDATE) ? 5 : 8;
        commit(statement, number);
        var which =
            end.equals("killAllSessions") ? new BsonArray() : new BsonArray(List.of(session));
        assertThat(code(new BsonDocument(end, which).append("$db", new BsonString("admin"))))
            .isZero();
        requireCommitted(number);
      }
    }
    assertThat(n()).isEqualTo(3);
  }

  @Test
  void afterARestart() throws IOException {
    assertThat(retryableWrite(1)).isZero();
    commit(UPDATE, 5);
    stop();
    start(session);
    requireCommitted(5);
    commit(UPDATE, 6);
    stop();
    start(session);
    requireCommitted(6);
    assertThat(n()).isEqualTo(2);
    assertThat(retryableWrite(7)).isZero();
    stop();
    start(session);
    assertThat(ask(COMMIT, 6)).isEqualTo(TOO_OLD);
    assertThat(retryableWrite(7)).isZero();
    assertThat(retryableWrite(8)).isZero();
  }

  private void start(BsonDocument same) throws IOException {
    start();
    session = same;
  }

  private int n() {
    try (MongoClient client = server.client("", "")) {
      return client
          .getDatabase("test")
          .getCollection("c")
          .find(new Document("_id", 1))
          .first()
          .getInteger("n");
    }
  }
}
