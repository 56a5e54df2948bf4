package dev.orrery.server;

import static com.mongodb.MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL;
import static com.mongodb.MongoException.UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions and the convenient way to run them, by what the specifications of drivers say. */
class TransactionCasesTest extends DriverCases {
  private static Document document(int id) {
    return new Document("_id", id);
  }

  @Test
  void onlyTheFirstStatementStartsAndAllHaveTheNumber() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction(
          TransactionOptions.builder()
              .readConcern(ReadConcern.SNAPSHOT)
              .writeConcern(WriteConcern.MAJORITY)
              .build());
      c().insertOne(session, document(1));
      c().find(session).first();
      session.commitTransaction();
      session.startTransaction();
      c().insertOne(session, document(2));
      session.abortTransaction();
    }
    assertThat(SENT.names())
        .containsExactly("insert", "find", "commitTransaction", "insert", "abortTransaction");
    BsonDocument first = SENT.get(0);
    assertThat(first.getBoolean("startTransaction").getValue()).isTrue();
    assertThat(first.getBoolean("autocommit").getValue()).isFalse();
    assertThat(first.getDocument("readConcern").getString("level").getValue())
        .isEqualTo("snapshot");
    assertThat(first).doesNotContainKey("writeConcern");
    assertThat(SENT.get(1)).doesNotContainKeys("startTransaction", "readConcern", "writeConcern");
    BsonDocument commit = SENT.get(2);
    assertThat(commit).doesNotContainKeys("startTransaction", "readConcern");
    assertThat(commit.getDocument("writeConcern").getString("w").getValue()).isEqualTo("majority");
    assertThat(commit.getString("$db").getValue()).isEqualTo("admin");
    assertThat(commit.get("txnNumber")).isEqualTo(first.get("txnNumber"));
    assertThat(SENT.get(3).getInt64("txnNumber").getValue())
        .isEqualTo(first.getInt64("txnNumber").getValue() + 1);
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void anEmptyTransactionIsNeverSent() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      session.commitTransaction();
      session.startTransaction();
      session.abortTransaction();
      assertThatThrownBy(session::abortTransaction).isInstanceOf(IllegalStateException.class);
    }
    assertThat(SENT.all()).isEmpty();
  }

  @Test
  void aCommitMayBeRepeatedAndIsDoneOnce() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      c().updateOne(session, Filters.eq(0), Updates.inc("v", 1));
      session.commitTransaction();
      session.commitTransaction();
      session.commitTransaction();
    }
    assertThat(SENT.names())
        .containsExactly("update", "commitTransaction", "commitTransaction", "commitTransaction");
    assertThat(SENT.last().getDocument("writeConcern").getString("w").getValue())
        .isEqualTo("majority"); // as every repetition has
    assertThat(c().find().first()).containsEntry("v", 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"errorCode: 91", "errorCode: 11602", "closeConnection: true"})
  void aCommitThatGetsLostIsSentAgain(String how) {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      c().insertOne(session, document(1));
      failOnce("commitTransaction", how);
      session.commitTransaction();
    }
    assertThat(SENT.names()).containsExactly("insert", "commitTransaction", "commitTransaction");
    assertThat(SENT.last().getDocument("writeConcern").getString("w").getValue())
        .isEqualTo("majority");
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void aCommitThatFailsTwiceHasAnUnknownResult() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      c().insertOne(session, document(1));
      failing("{times: 2}", "{failCommands: ['commitTransaction'], errorCode: 91}");
      MongoException failed =
          catchThrowableOfType(MongoException.class, session::commitTransaction);
      assertThat(failed.hasErrorLabel(UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL)).isTrue();
      assertThat(failed.hasErrorLabel(TRANSIENT_TRANSACTION_ERROR_LABEL)).isFalse();
      assertThat(stored()).isEqualTo(1);
      session.commitTransaction();
    }
    assertThat(stored()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"errorCode: 91", "errorCode: 8000", "closeConnection: true"})
  void anAbortNeverFails(String how) {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      c().insertOne(session, document(1));
      failOnce("abortTransaction", how);
      session.abortTransaction();
    }
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void aWriteIsNotRepeatedInsideAndANetworkErrorIsTransient() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      failOnce("insert", "closeConnection: true");
      MongoException failed =
          catchThrowableOfType(MongoException.class, () -> c().insertOne(session, document(1)));
      assertThat(failed.hasErrorLabel(TRANSIENT_TRANSACTION_ERROR_LABEL)).isTrue();
      session.abortTransaction();
    }
    assertThat(SENT.names()).containsExactly("insert", "abortTransaction");
    assertThat(stored()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {91, 112, 189, 246, 251, 10107, 11600, 13436})
  void suchErrorsInsideAreTransient(int code) {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      failOnce("find", "errorCode: " + code);
      MongoException failed =
          catchThrowableOfType(MongoException.class, () -> c().find(session).first());
      assertThat(failed.getErrorLabels()).containsExactly(TRANSIENT_TRANSACTION_ERROR_LABEL);
      session.abortTransaction();
    }
  }

  @Test
  void theSecondWriterIsTransientAndItsCommitFindsNothing() {
    try (ClientSession first = client.startSession();
        ClientSession second = client.startSession()) {
      first.startTransaction();
      second.startTransaction();
      c().insertOne(first, document(1));
      MongoException conflict =
          catchThrowableOfType(MongoException.class, () -> c().insertOne(second, document(1)));
      assertThat(conflict.getCode()).isEqualTo(112);
      assertThat(conflict.getErrorLabels()).containsExactly(TRANSIENT_TRANSACTION_ERROR_LABEL);
      MongoException gone = catchThrowableOfType(MongoException.class, second::commitTransaction);
      assertThat(gone.getCode()).isEqualTo(251);
      assertThat(gone.hasErrorLabel(TRANSIENT_TRANSACTION_ERROR_LABEL)).isTrue();
      first.commitTransaction();
    }
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void aDuplicateKeyInsideHasNoLabelAndEndsTheTransaction() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      c().insertOne(session, document(1));
      MongoException duplicate =
          catchThrowableOfType(MongoException.class, () -> c().insertOne(session, document(1)));
      assertThat(duplicate.getCode()).isEqualTo(11000);
      assertThat(duplicate.getErrorLabels()).isEmpty();
      MongoException gone = catchThrowableOfType(MongoException.class, session::commitTransaction);
      assertThat(gone.getCode()).isEqualTo(251);
    }
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void aCursorGoesOnInItsTransaction() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      c().insertMany(session, List.of(document(1), document(2), document(3)));
      try (var cursor = c().find(session).batchSize(2).iterator()) {
        cursor.next();
        assertThat(stored()).isEqualTo(1);
        while (cursor.hasNext()) {
          cursor.next();
        }
      }
      session.commitTransaction();
    }
    assertThat(SENT.names()).startsWith("insert", "find", "getMore").endsWith("commitTransaction");
    assertThat(SENT.get(2).get("txnNumber")).isEqualTo(SENT.get(0).get("txnNumber"));
  }

  @Test
  void aCallbackIsRunAgainAfterATransientError() {
    var runs = new AtomicInteger();
    try (ClientSession session = client.startSession()) {
      failing("{times: 2}", "{failCommands: ['insert'], errorCode: 112}");
      session.withTransaction(
          () -> {
            runs.incrementAndGet();
            return c().insertOne(session, document(1));
          });
    }
    assertThat(runs.get()).isEqualTo(3);
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void aCallbackIsRunAgainWhenItsCommitFoundNothing() {
    var runs = new AtomicInteger();
    try (ClientSession session = client.startSession()) {
      failOnce("commitTransaction", "errorCode: 251, errorLabels: ['TransientTransactionError']");
      session.withTransaction(
          () -> {
            runs.incrementAndGet();
            return c().insertOne(session, document(runs.get()));
          });
    }
    assertThat(runs.get()).isEqualTo(2);
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void aCommitWithAnUnknownResultIsRepeatedAlone() {
    var runs = new AtomicInteger();
    try (ClientSession session = client.startSession()) {
      failing("{times: 3}", "{failCommands: ['commitTransaction'], errorCode: 11600}");
      session.withTransaction(
          () -> {
            runs.incrementAndGet();
            return c().insertOne(session, document(1));
          });
    }
    assertThat(runs.get()).isEqualTo(1);
    assertThat(SENT.names())
        .containsExactly(
            "insert",
            "commitTransaction",
            "commitTransaction",
            "commitTransaction",
            "commitTransaction");
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void aCommitWhoseTimeIsOverIsNotRepeated() {
    try (ClientSession session = client.startSession()) {
      failOnce("commitTransaction", "errorCode: 50");
      MongoException failed =
          catchThrowableOfType(
              MongoException.class,
              () -> session.withTransaction(() -> c().insertOne(session, document(1))));
      assertThat(failed.getCode()).isEqualTo(50);
      assertThat(failed.hasErrorLabel(UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL)).isTrue();
    }
    assertThat(SENT.names()).containsExactly("insert", "commitTransaction");
  }

  @Test
  void aCommitThatIsLateForItsConcernIsRepeated() {
    try (ClientSession session = client.startSession()) {
      failOnce("commitTransaction", "writeConcernError: {code: 64, errmsg: 'late'}");
      session.withTransaction(() -> c().insertOne(session, document(1)));
    }
    assertThat(SENT.names()).containsExactly("insert", "commitTransaction", "commitTransaction");
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void anErrorOfTheCallbackAborts() {
    try (ClientSession session = client.startSession()) {
      assertThatThrownBy(
              () ->
                  session.withTransaction(
                      () -> {
                        c().insertOne(session, document(1));
                        throw new IllegalArgumentException("mine");
                      }))
          .hasMessage("mine");
    }
    assertThat(SENT.names()).containsExactly("insert", "abortTransaction");
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void maxCommitTimeIsSentWithTheCommit() {
    try (ClientSession session = client.startSession()) {
      session.withTransaction(
          () -> c().insertOne(session, document(1)),
          TransactionOptions.builder().maxCommitTime(5L, TimeUnit.SECONDS).build());
    }
    assertThat(SENT.last().getNumber("maxTimeMS").longValue()).isEqualTo(5000);
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void countIsRefusedAndSaysWhatToUse() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      MongoCommandException refused =
          catchThrowableOfType(
              MongoCommandException.class,
              () -> client.getDatabase("test").runCommand(session, new Document("count", "c")));
      assertThat(refused.getErrorCode()).isEqualTo(263);
      session.abortTransaction();
    }
  }
}
