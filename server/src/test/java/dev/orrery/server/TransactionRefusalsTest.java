package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What MongoDB refuses inside transactions, in its words, and whether that begins or ends one. */
class TransactionRefusalsTest {
  private static final String FIND = "{find: 'c'}";
  private static TestServer server;
  private static RawConnection connection;
  private BsonDocument session;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    connection = new RawConnection(server.port(), "127.0.0.1");
    plain("{insert: 'c', documents: [{_id: 1, v: 1}]}");
    plain("{create: 'capped', capped: true, size: 4096}");
    plain("{create: 'series', timeseries: {timeField: 't'}}");
    String unique = "{key: {u: 1}, name: 'u', unique: true, sparse: true}";
    plain("{createIndexes: 'c', indexes: [" + unique + "]}");
  }

  @AfterAll
  static void stop() throws IOException {
    connection.close();
    server.close();
  }

  @BeforeEach
  void openSession() {
    session = new BsonDocument("id", new BsonBinary(UUID.randomUUID()));
  }

  private static BsonDocument plain(String command) throws IOException {
    return connection.ask(BsonDocument.parse(command));
  }

  private BsonDocument statement(String command) {
    return BsonDocument.parse(command)
        .append("lsid", session)
        .append("txnNumber", new BsonInt64(1))
        .append("autocommit", BsonBoolean.FALSE);
  }

  private BsonDocument first(String command) throws IOException {
    return connection.ask(statement(command).append("startTransaction", BsonBoolean.TRUE));
  }

  private BsonDocument next(String command) throws IOException {
    return connection.ask(statement(command));
  }

  private static void assertRefused(BsonDocument reply, int code, String message) {
    assertThat(reply.getString("errmsg", new BsonString("none")).getValue()).isEqualTo(message);
    assertThat(reply.getNumber("code").intValue()).isEqualTo(code);
    assertThat(reply).doesNotContainKey("errorLabels");
  }

  private void assertNothingBegan() throws IOException {
    assertThat(next(FIND).getString("errmsg").getValue()).endsWith("number is -1");
  }

  private void assertAborted() throws IOException {
    assertThat(next(FIND).getString("errmsg").getValue()).endsWith("has been aborted.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{killCursors: 'c', cursors: []} | Cannot run killCursors as the first operation in a"
            + " multi-document transaction.",
        "{prepareTransaction: 1, $db: 'admin'} | Cannot start a transaction with a prepare",
        "{abortTransaction: 1, $db: 'admin'} | Cannot start a transaction with an abort",
        "{whatsmyuri: 1} | Cannot run 'whatsmyuri' in a multi-document transaction.",
        "{endSessions: []} | Cannot run 'endSessions' in a multi-document transaction.",
        "{listCommands: 1} | This command is not supported in transactions",
        "{ping: 1} | This command is not supported in transactions",
        "{find: 'x', $db: 'local'} | Cannot run command against the 'local' database in a"
            + " transaction.",
        "{find: 'x', $db: 'config'} | Cannot run command against the config database in a"
            + " transaction.",
        "{find: 'system.profile'} | Cannot run command against the 'test.system.profile'"
            + " collection in a transaction.",
      })
  void suchCommandsBeginNothing(String command, String message) throws IOException {
    assertRefused(first(command), 263, message);
    assertNothingBegan();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{create: 's', timeseries: {timeField: 't'}} | 263 | Cannot create a time-series"
            + " collection in a multi-document transaction.",
        "{create: 'system.js'} | 263 | Cannot create system collection test.system.js within a"
            + " transaction.",
        "{insert: 'series', documents: [{t: 1}]} | 263 | time-series insert failed: test.series"
            + " :: caused by :: Cannot insert into a time-series collection in a multi-document"
            + " transaction: test.series",
        "{insert: 'system.js', documents: [{}]} | 50791 | Cannot write to system collection"
            + " test.system.js within a transaction.",
        "{findAndModify: 'system.foo', remove: true} | 50791 | Cannot write to system collection"
            + " test.system.foo within a transaction.",
        "{aggregate: 'c', pipeline: [], explain: true} | 263 | Operation not permitted in"
            + " transaction :: caused by :: Explain for the aggregate command cannot run within a"
            + " multi-document transaction",
      })
  void suchStatementsEndTheTransactionThatTheyBegin(String command, int code, String message)
      throws IOException {
    assertRefused(first(command), code, message);
    assertAborted();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{create: 'd', foo: 1}",
        "{createIndexes: 'd'}",
        "{createIndexes: 'd', indexes: 1}",
        "{getMore: 'x', collection: 'c'}",
        "{aggregate: 'c', pipeline: [{$foo: 1}], cursor: {}}",
        "{aggregate: 'c', pipeline: [{$facet: {a: [{$foo: 1}]}}], cursor: {}}",
        "{aggregate: 'c', pipeline: [{$lookup: {from: 'd', as: 'd', pipeline: [{$foo: 1}]}}],"
            + " cursor: {}}",
      })
  void whatIsWrongWithTheFieldsOfACommandBeginsNothing(String command) throws IOException {
    assertThat(first(command)).containsKey("code");
    assertNothingBegan();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{update: 'capped', updates: [{q: {none: 1}, u: {$set: {a: 1}}}]}",
        "{delete: 'capped', deletes: [{q: {none: 1}, limit: 0}]}",
        "{insert: 'capped', documents: [{a: 1}]}",
      })
  void aWriteToACappedCollectionFailsWhateverItFinds(String command) throws IOException {
    BsonDocument error = first(command).getArray("writeErrors").get(0).asDocument();
    assertRefused(
        error,
        263,
        "Collection 'test.capped' is a capped collection. Writes in transactions are not allowed"
            + " on capped collections.");
    assertAborted();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{create: 'e'}", "{createIndexes: 'e', indexes: [{key: {a: 1}, name: 'a'}]}"})
  void nothingIsCreatedWhereReadsAreAtAPoint(String command) throws IOException {
    first(
        "{find: 'c', readConcern: {level: 'snapshot', afterClusterTime: {$timestamp: {t: 7, i: 1}}}}");
    assertThat(next(command).getString("errmsg").getValue())
        .contains(
            "does not support this transaction's { readConcern: { level: \"snapshot\","
                + " afterClusterTime: Timestamp(7, 1), provenance: \"clientSupplied\" } }");
    assertAborted();
  }

  @Test
  void anIndexIsNotBuiltOnWhatTheTransactionHasWritten() throws IOException {
    first("{insert: 'fresh', documents: [{a: 1}]}");
    assertRefused(
        next("{createIndexes: 'fresh', indexes: [{key: {a: 1}, name: 'a'}]}"),
        263,
        "Cannot create new indexes on non-empty collection test.fresh in a multi-document"
            + " transaction.");
    assertAborted();
  }

  @Test
  void aNullIsAsGoodAsNothing() throws IOException {
    BsonDocument find = BsonDocument.parse("{find: 'c', lsid: null, autocommit: null}");
    assertThat(connection.ask(find)).containsKey("cursor");
    BsonDocument begun = statement(FIND).append("startTransaction", BsonNull.VALUE);
    assertThat(connection.ask(begun).getString("errmsg").getValue()).endsWith("number is -1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "uid: 1 | 14",
        "uid: {$binary: {base64: 'AAAA', subType: '00'}} | 12",
        "txnNumber: {$numberLong: '1'} | 72",
        "txnNumber: 1 | 14",
        "txnUUID: 1 | 14",
        "foo: 1 | 40415",
      })
  void whatASessionIdHasBesidesIsLookedAt(String field, int code) throws IOException {
    session.putAll(BsonDocument.parse("{" + field + "}"));
    BsonDocument find = BsonDocument.parse(FIND).append("lsid", session);
    assertThat(connection.ask(find).getNumber("code").intValue()).isEqualTo(code);
  }

  @Test
  void whoAsksForNoLoginHasNoNumber() throws IOException {
    BsonDocument ping =
        BsonDocument.parse("{ping: 1}")
            .append("lsid", session)
            .append("txnNumber", new BsonInt64(1));
    assertRefused(
        connection.ask(ping), 50889, "It is illegal to provide a txnNumber for this command");
  }

  @Test
  void onlyRoutersCountTheirAttempts() throws IOException {
    assertRefused(
        first("{find: 'c', txnRetryCounter: 0}"),
        72,
        "txnRetryCounter is only supported in sharded clusters");
    assertNothingBegan();
  }

  @Test
  void aCommitAtATimeNeedsAPreparedTransaction() throws IOException {
    first("{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {v: 1}}}]}");
    String commit =
        "{commitTransaction: 1, $db: 'admin', commitTimestamp: {$timestamp: {t: 1, i: 1}}}";
    assertRefused(
        next(commit),
        72,
        "commitTransaction cannot provide commitTimestamp to unprepared transaction.");
    assertAborted();
  }

  @Test
  void aStatementOfAnotherApiHasNoPartAndEndsNothing() throws IOException {
    first("{find: 'c', apiVersion: '1'}");
    assertRefused(
        next(FIND),
        347,
        "API parameter mismatch: find used params {}, the transaction's first command used"
            + " { apiVersion: \"1\" }");
    assertThat(next("{commitTransaction: 1, $db: 'admin'}"))
        .containsEntry("code", new BsonInt32(347));
    assertThat(next("{commitTransaction: 1, $db: 'admin', apiVersion: '1'}"))
        .doesNotContainKey("code");
  }

  @Test
  @Tag("embedded") // other engines may not know the index
  void aConflictOfAUniqueKeyNamesItsIndex() throws IOException {
    first("{insert: 'c', documents: [{_id: 8, u: 1}]}");
    openSession();
    BsonDocument second = first("{insert: 'c', documents: [{_id: 9, u: 1}]}");
    assertThat(second.getNumber("code").intValue()).isEqualTo(112);
    assertThat(second).containsKey("errorLabels");
    assertThat(second.getString("errmsg").getValue())
        .startsWith("Caused by :: WiredTigerIndexUnique::_insert: duplicate: u; uri: ");
  }
}
