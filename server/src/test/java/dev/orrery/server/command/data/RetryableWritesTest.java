package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.collection.Databases;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write that is sent again, to the same server or after a restart, is carried out once. */
class RetryableWritesTest {
  private static final String SESSION =
      "lsid: {id: {$binary: {base64: 'AAECAwQFBgcICQoLDA0ODw==', subType: '04'}}}";

  @TempDir private Path directory;
  private DataFixture server;

  @BeforeEach
  void start() {
    server = new DataFixture(directory);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void restart() {
    server.close();
    server = new DataFixture(directory);
  }

  private BsonDocument run(int number, String command) {
    BsonDocument reply =
        server.run("{%s, %s, txnNumber: {$numberLong: '%d'}}".formatted(command, SESSION, number));
    reply.remove("$clusterTime");
    reply.remove("operationTime");
    return reply;
  }

  private static BsonDocument json(String json) {
    return BsonDocument.parse(json);
  }

  @Test
  void aRepeatedInsertAfterARestartInsertsNothing() {
    String insert = "insert: 'c', documents: [{_id: 1}, {_id: 2}]";
    assertThat(run(1, insert)).isEqualTo(json("{n: 2, ok: 1.0}"));
    assertThat(run(1, insert)).isEqualTo(json("{n: 2, retriedStmtIds: [0, 1], ok: 1.0}"));
    restart();
    assertThat(run(1, insert)).isEqualTo(json("{n: 2, retriedStmtIds: [0, 1], ok: 1.0}"));
    assertThat(server.documents("c")).isEqualTo("[{\"_id\": 1}, {\"_id\": 2}]");
  }

  @Test
  void aRepeatedUpdateAfterARestartChangesNothing() {
    server.run("{insert: 'c', documents: [{_id: 1, a: 0}]}");
    String update =
        "update: 'c', updates: [{q: {_id: 1}, u: {$inc: {a: 1}}},"
            + " {q: {b: 1}, u: {$inc: {a: 1}}, upsert: true},"
            + " {q: {_id: 9}, u: {$inc: {a: 1}}}]";
    BsonDocument first = run(5, update);
    restart();
    BsonDocument again = run(5, update);
    assertThat(again.remove("retriedStmtIds")).isEqualTo(json("{x: [0, 1]}").get("x"));
    assertThat(again).isEqualTo(first);
    assertThat(again.get("nModified")).isEqualTo(json("{n: 1}").get("n"));
    assertThat(server.documents("c")).contains("{\"_id\": 1, \"a\": 1}");
    assertThat(server.run("{count: 'c'}").getInt32("n").getValue()).isEqualTo(2);
  }

  @Test
  void aRepeatedDeleteAfterARestartDeletesNothing() {
    server.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
    String delete = "delete: 'c', deletes: [{q: {}, limit: 1}]";
    assertThat(run(1, delete)).isEqualTo(json("{n: 1, ok: 1.0}"));
    restart();
    assertThat(run(1, delete)).isEqualTo(json("{n: 1, retriedStmtIds: [0], ok: 1.0}"));
    assertThat(server.documents("c")).isEqualTo("[{\"_id\": 2}]");
  }

  @Test
  void aRepeatedFindAndModifyAnswersWithTheSameImage() {
    server.run("{insert: 'c', documents: [{_id: 1, a: 0, b: 7}]}");
    String old = "findAndModify: 'c', query: {_id: 1}, update: {$inc: {a: 1}}, fields: {b: 0}";
    BsonDocument first = run(1, old);
    assertThat(first.getDocument("value")).isEqualTo(json("{_id: 1, a: 0}"));
    restart();
    BsonDocument again = run(1, old);
    assertThat(again.remove("retriedStmtId")).isEqualTo(json("{x: 0}").get("x"));
    assertThat(again).isEqualTo(first);
    BsonDocument changed = run(2, old + ", new: true");
    restart();
    BsonDocument repeated = run(2, old + ", new: true");
    repeated.remove("retriedStmtId");
    assertThat(repeated).isEqualTo(changed);
    String remove = "findAndModify: 'c', query: {_id: 1}, remove: true";
    BsonDocument removed = run(3, remove);
    restart();
    BsonDocument removedAgain = run(3, remove);
    removedAgain.remove("retriedStmtId");
    assertThat(removedAgain).isEqualTo(removed);
    assertThat(server.documents("c")).isEqualTo("[]");
  }

  @Test
  void anUpsertByFindAndModifyIsRepeatedWithItsId() {
    String upsert = "findAndModify: 'c', query: {a: 1}, update: {$set: {b: 1}}, upsert: true";
    BsonDocument first = run(1, upsert);
    restart();
    BsonDocument again = run(1, upsert);
    again.remove("retriedStmtId");
    assertThat(again).isEqualTo(first);
    assertThat(server.run("{count: 'c'}").getInt32("n").getValue()).isEqualTo(1);
  }

  @Test
  void whatFailedIsTriedAgainAndWhatSucceededIsNot() {
    server.run("{insert: 'c', documents: [{_id: 2}]}");
    String insert = "insert: 'c', ordered: false, documents: [{_id: 1}, {_id: 2}, {_id: 3}]";
    BsonDocument first = run(1, insert);
    assertThat(first.getArray("writeErrors")).hasSize(1);
    restart();
    server.run("{delete: 'c', deletes: [{q: {_id: 2}, limit: 1}]}");
    assertThat(run(1, insert)).isEqualTo(json("{n: 3, retriedStmtIds: [0, 2], ok: 1.0}"));
  }

  @Test
  void anOlderNumberIsRefusedAlsoAfterARestart() {
    run(8, "insert: 'c', documents: [{_id: 1}]");
    restart();
    BsonDocument reply = run(7, "insert: 'c', documents: [{_id: 2}]");
    assertThat(reply.getString("codeName").getValue()).isEqualTo("TransactionTooOld");
    assertThat(reply.getString("errmsg").getValue())
        .isEqualTo(
            "Retryable write with txnNumber 7 is prohibited on session"
                + " 00010203-0405-0607-0809-0a0b0c0d0e0f because a newer retryable write with"
                + " txnNumber 8 has already started on this session.");
    assertThat(server.documents("c")).isEqualTo("[{\"_id\": 1}]");
  }

  @Test
  void manyStatementsNeedSeveralRecords() {
    var documents = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      documents.append(i == 0 ? "" : ", ").append("{_id: ").append(i).append('}');
    }
    String insert = "insert: 'c', documents: [" + documents + "]";
    run(1, insert);
    restart();
    BsonDocument again = run(1, insert);
    assertThat(again.getInt32("n").getValue()).isEqualTo(200);
    assertThat(again.getArray("retriedStmtIds")).hasSize(200);
    restart();
    assertThat(run(2, "insert: 'c', documents: [{_id: 999}]").getInt32("n").getValue()).isOne();
    restart();
    assertThat(run(2, "insert: 'c', documents: [{_id: 999}]").getArray("retriedStmtIds"))
        .hasSize(1);
  }

  @Test
  void statementsOnManyDocumentsCannotBeRepeated() {
    BsonDocument update = run(1, "update: 'c', updates: [{q: {}, u: {$set: {a: 1}}, multi: true}]");
    assertThat(update.toString())
        .contains("Cannot use (or request) retryable writes with multi=true");
    BsonDocument delete = run(2, "delete: 'c', deletes: [{q: {}, limit: 0}]");
    assertThat(delete.toString()).contains("retryable writes with limit=0");
  }

  @Test
  void recordsCostNoRequestUnitsAndMakeNoDatabase() {
    server.run("{insert: 'd', documents: [{_id: 1}]}");
    double plain = lastCharge();
    run(1, "insert: 'd', documents: [{_id: 2}]");
    assertThat(lastCharge()).isEqualTo(plain);
    run(2, "insert: 'd', documents: [{_id: 3}]");
    assertThat(lastCharge()).isEqualTo(plain);
    assertThat(new Databases(server.engine).names()).containsExactly("test");
  }

  private double lastCharge() {
    return server.commands.connection.lastRequest().charge().toDouble();
  }
}
