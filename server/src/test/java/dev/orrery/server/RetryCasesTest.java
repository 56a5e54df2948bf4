package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoClientException;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Retryable reads and writes, and sessions, by what the specifications of drivers say. */
class RetryCasesTest extends DriverCases {
  private static final List<String> HICCUPS =
      List.of("errorCode: 91", "errorCode: 10107", "errorCode: 189", "closeConnection: true");

  private static final Map<String, Runnable> READS =
      Map.of(
          "find", () -> c().find().first(),
          "aggregate", () -> c().aggregate(List.of(new Document("$match", new Document()))).first(),
          "distinct", () -> c().distinct("v", Integer.class).first(),
          "count", () -> c().estimatedDocumentCount(),
          "listCollections", () -> client.getDatabase("test").listCollectionNames().first(),
          "listDatabases", () -> client.listDatabaseNames().first(),
          "listIndexes", () -> c().listIndexes().first());

  /** Each changes v of the only document to 1, or adds one; twice would be seen. */
  private static final Map<String, Runnable> WRITES =
      Map.of(
          "insert", () -> c().insertOne(new Document("v", 1)),
          "update", () -> c().updateOne(Filters.eq(0), Updates.inc("v", 1)),
          "delete", () -> c().deleteOne(Filters.eq(0)),
          "findAndModify", () -> c().findOneAndUpdate(Filters.eq(0), Updates.inc("v", 1)));

  private static Stream<Arguments> reads() {
    return cases(READS);
  }

  private static Stream<Arguments> writes() {
    return cases(WRITES);
  }

  private static Stream<Arguments> cases(Map<String, Runnable> commands) {
    return commands.entrySet().stream()
        .flatMap(
            one -> HICCUPS.stream().map(how -> Arguments.of(one.getKey(), how, one.getValue())));
  }

  @ParameterizedTest(name = "{0} after {1}")
  @MethodSource("reads")
  void aReadIsRepeatedOnce(String command, String how, Runnable read) {
    failOnce(command, how);
    read.run();
    assertThat(SENT.names()).containsExactly(command, command);
    SENT.clear();
    failing("{times: 2}", "{failCommands: ['%s'], %s}".formatted(command, how));
    assertThatThrownBy(read::run).isInstanceOf(MongoException.class);
    assertThat(SENT.names()).containsExactly(command, command);
  }

  @Test
  void otherErrorsOfReadsAndGetMoresAreNotRepeated() {
    failOnce("find", "errorCode: 2");
    assertThatThrownBy(() -> c().find().first()).isInstanceOf(MongoException.class);
    assertThat(SENT.names()).containsExactly("find");
    c().insertMany(List.of(new Document(), new Document()));
    SENT.clear();
    failOnce("getMore", "errorCode: 91");
    assertThatThrownBy(() -> c().find().batchSize(2).forEach(each -> {}))
        .isInstanceOf(MongoException.class);
    assertThat(SENT.names()).startsWith("find", "getMore").doesNotHaveDuplicates();
  }

  @ParameterizedTest(name = "{0} after {1}")
  @MethodSource("writes")
  void aWriteIsRepeatedOnceAndDoneOnce(String command, String how, Runnable write) {
    failOnce(command, how);
    write.run();
    assertThat(SENT.names()).containsExactly(command, command);
    BsonDocument first = SENT.get(0);
    assertThat(SENT.get(1).get("txnNumber")).isEqualTo(first.get("txnNumber")).isNotNull();
    assertThat(SENT.get(1).get("lsid")).isEqualTo(first.get("lsid"));
    SENT.clear();
    failing("{times: 2}", "{failCommands: ['%s'], %s}".formatted(command, how));
    assertThatThrownBy(write::run).isInstanceOf(MongoException.class);
    assertThat(SENT.names()).containsExactly(command, command);
  }

  /** The write was done, and its reply is lost. */
  @Test
  void aWriteWhoseReplyIsLostIsDoneOnce() {
    WRITES.forEach(
        (command, write) -> {
          fill();
          client
              .getDatabase("admin")
              .runCommand(
                  Document.parse(
                      "{injectFault: 'lost', fault: 'closeAfter', commands: ['%s'], times: 1}"
                          .formatted(command)));
          write.run();
          Document document = c().find(Filters.eq(0)).first();
          switch (command) {
            case "insert" -> assertThat(stored()).isEqualTo(2);
            case "delete" -> assertThat(stored()).isZero();
            default -> assertThat(document).as(command).containsEntry("v", 1);
          }
        });
    client.getDatabase("admin").runCommand(Document.parse("{clearFaults: 1}"));
  }

  @Test
  void aBulkWriteGoesOnWhereItWas() {
    client
        .getDatabase("admin")
        .runCommand(
            Document.parse(
                "{injectFault: 'lost', fault: 'closeAfter', commands: ['update'], times: 1}"));
    var result =
        c().bulkWrite(
                List.of(
                    new InsertOneModel<>(new Document("_id", 1)),
                    new UpdateOneModel<>(Filters.eq(0), Updates.inc("v", 1)),
                    new UpdateOneModel<>(Filters.eq(0), Updates.inc("v", 1)),
                    new InsertOneModel<>(new Document("_id", 2))));
    client.getDatabase("admin").runCommand(Document.parse("{clearFaults: 1}"));
    assertThat(result.getInsertedCount()).isEqualTo(2);
    assertThat(result.getModifiedCount()).isEqualTo(2);
    assertThat(c().find(Filters.eq(0)).first()).containsEntry("v", 2);
  }

  @Test
  void whatChangesManyOrHasNoLabelIsNotRepeated() {
    failOnce("update", "closeConnection: true");
    assertThatThrownBy(() -> c().updateMany(Filters.empty(), Updates.inc("v", 1)))
        .isInstanceOf(MongoException.class);
    assertThat(SENT.names()).containsExactly("update");
    assertThat(SENT.get(0)).doesNotContainKey("txnNumber");
    SENT.clear();
    failOnce("insert", "errorCode: 91, errorLabels: []");
    assertThatThrownBy(() -> c().insertOne(new Document())).isInstanceOf(MongoException.class);
    assertThat(SENT.names()).containsExactly("insert");
  }

  @Test
  void aWriteWithAHiccupOfItsConcernIsRepeated() {
    failOnce("insert", "writeConcernError: {code: 91, errmsg: 'stops'}");
    c().insertOne(new Document("_id", 1));
    assertThat(SENT.names()).containsExactly("insert", "insert");
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void everyCommandHasASessionAndSessionsAreUsedAgain() {
    c().find().first();
    c().insertOne(new Document());
    c().find().first();
    assertThat(SENT.all()).extracting(each -> each.get("lsid")).doesNotContainNull();
    assertThat(SENT.all().stream().map(each -> each.get("lsid")).distinct()).hasSize(1);
    SENT.clear();
    try (ClientSession session = client.startSession()) {
      c().find(session).first();
      c().find().first();
      assertThat(SENT.get(0).get("lsid")).isEqualTo(session.getServerSession().getIdentifier());
      assertThat(SENT.get(1).get("lsid")).isNotEqualTo(SENT.get(0).get("lsid"));
    }
  }

  @Test
  void aClosedClientEndsItsSessions() {
    try (MongoClient other = watched("")) {
      other.getDatabase("test").getCollection("c").find().first();
    }
    assertThat(SENT.names()).containsExactly("find", "endSessions");
    assertThat(SENT.last().getArray("endSessions")).containsExactly(SENT.get(0).get("lsid"));
  }

  @Test
  void aCausalSessionReadsWhatItWrote() {
    try (ClientSession session =
        client.startSession(ClientSessionOptions.builder().causallyConsistent(true).build())) {
      c().insertOne(session, new Document("_id", 1));
      assertThat(session.getOperationTime()).isNotNull();
      c().find(session, Filters.eq(1)).first();
      assertThat(SENT.last().getDocument("readConcern").get("afterClusterTime"))
          .isEqualTo(SENT.last().getDocument("readConcern").getTimestamp("afterClusterTime"));
    }
  }

  @Test
  void aSnapshotSessionReadsOnePointAndWritesNothing() {
    try (ClientSession session =
        client.startSession(ClientSessionOptions.builder().snapshot(true).build())) {
      assertThat(c().find(session).first()).containsEntry("v", 0);
      assertThat(SENT.last().getDocument("readConcern").toJson()).doesNotContain("atClusterTime");
      c().updateOne(Filters.eq(0), Updates.set("v", 1));
      assertThat(c().find(session).first()).containsEntry("v", 0);
      assertThat(SENT.last().getDocument("readConcern")).containsKey("atClusterTime");
      assertThat(
              c().aggregate(session, List.of(new Document("$match", new Document("v", 0)))).first())
          .isNotNull();
      c().insertMany(List.of(new Document(), new Document(), new Document()));
      assertThat(c().find(session).batchSize(2)).hasSize(1);
      try (ClientSession later =
          client.startSession(ClientSessionOptions.builder().snapshot(true).build())) {
        assertThat(c().find(later).batchSize(2)).hasSize(4); // in batches
      }
      assertThatThrownBy(session::startTransaction).isInstanceOf(RuntimeException.class);
      MongoException refused =
          catchThrowableOfType(MongoException.class, () -> c().insertOne(session, new Document()));
      assertThat(refused).isInstanceOfAny(MongoException.class, MongoClientException.class);
    }
  }
}
