package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fail point failCommand, as test suites of drivers set it. */
class FailPointTest {
  private static TestServer server;
  private static MongoClient client;
  private static MongoClient plain;
  private static MongoDatabase admin;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--test-commands", "--ephemeral");
    client = server.client("", "appName=first");
    plain = server.client("", "appName=second&retryWrites=false&retryReads=false");
    admin = client.getDatabase("admin");
  }

  @AfterAll
  static void stop() {
    plain.close();
    client.close();
    server.close();
  }

  @AfterEach
  void switchOff() {
    set("'off'", "{}");
  }

  private static Document set(String mode, String data) {
    return admin.runCommand(
        Document.parse(
            "{configureFailPoint: 'failCommand', mode: %s, data: %s}".formatted(mode, data)));
  }

  private static MongoCollection<Document> things(MongoClient of) {
    return of.getDatabase("test").getCollection("things");
  }

  @Test
  void itStrikesSoManyTimes() {
    int before = set("{times: 2}", "{failCommands: ['find'], errorCode: 2}").getInteger("count");
    for (int i = 0; i < 2; i++) {
      MongoCommandException failed =
          catchThrowableOfType(MongoCommandException.class, () -> things(client).find().first());
      assertThat(failed.getErrorCode()).isEqualTo(2);
      assertThat(failed.getErrorCodeName()).isEqualTo("BadValue");
      assertThat(failed.getErrorMessage()).isEqualTo("Failing command via 'failCommand' failpoint");
    }
    things(client).find().first();
    assertThat(set("'off'", "{}").getInteger("count")).isEqualTo(before + 2);
  }

  @Test
  void itSkipsSoManyAndGoesOnUntilItIsSwitchedOff() {
    set("{skip: 1}", "{failCommands: ['distinct'], errorCode: 12345}");
    things(plain).distinct("a", Integer.class).first();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> things(plain).distinct("a", Integer.class).first())
          .hasMessageContaining("12345 (Location12345)");
    }
    set("'alwaysOn'", "{failCommands: ['distinct'], errorCode: 8}");
    assertThatThrownBy(() -> things(plain).distinct("a", Integer.class).first())
        .isInstanceOf(MongoException.class);
    set("'off'", "{}");
    things(plain).distinct("a", Integer.class).first();
  }

  @Test
  void onlyThatApplicationAndNamespaceAreStruck() {
    set("'alwaysOn'", "{failCommands: ['find'], appName: 'first', errorCode: 2}");
    things(plain).find().first();
    assertThatThrownBy(() -> things(client).find().first()).isInstanceOf(MongoException.class);
    set("'alwaysOn'", "{failCommands: ['find'], namespace: 'test.other', errorCode: 2}");
    things(client).find().first();
    assertThatThrownBy(() -> client.getDatabase("test").getCollection("other").find().first())
        .isInstanceOf(MongoException.class);
  }

  @Test
  void aConnectionIsClosedOrKeptWaiting() {
    set("{times: 1}", "{failCommands: ['find'], closeConnection: true}");
    assertThatThrownBy(() -> things(plain).find().first()).isInstanceOf(MongoSocketException.class);
    set("{times: 1}", "{failCommands: ['find'], blockConnection: true, blockTimeMS: 300}");
    long start = System.nanoTime();
    things(plain).find().first();
    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(299));
    set(
        "{times: 1}",
        "{failCommands: ['find'], blockConnection: true, blockTimeMS: 1, errorCode: 96}");
    assertThatThrownBy(() -> things(plain).find().first()).hasMessageContaining("OperationFailed");
  }

  @Test
  void aWriteIsDoneAndItsReplyUnsure() {
    things(plain).drop();
    set("{times: 1}", "{failCommands: ['insert'], writeConcernError: {code: 64, errmsg: 'late'}}");
    MongoWriteConcernException unsure =
        catchThrowableOfType(
            MongoWriteConcernException.class,
            () -> things(plain).insertOne(new Document("_id", 1)));
    assertThat(unsure.getCode()).isEqualTo(64);
    assertThat(things(plain).countDocuments()).isEqualTo(1);
    set("'alwaysOn'", "{failCommands: ['find'], writeConcernError: {code: 64, errmsg: 'late'}}");
    assertThat(things(plain).find().first()).isNotNull(); // no write
  }

  /** Of what may be repeated the server says so; an order of labels goes before. */
  @ParameterizedTest
  @CsvSource({
    "91, RetryableWriteError",
    "10107, RetryableWriteError",
    "11602, RetryableWriteError",
    "8, ''"
  })
  void whatMayBeRepeatedHasALabel(int code, String label) {
    Document insert =
        Document.parse("{insert: 'things', documents: [{a: 1}], txnNumber: {$numberLong: '1'}}");
    set("{times: 1}", "{failCommands: ['insert'], errorCode: %d}".formatted(code));
    try (var session = plain.startSession()) {
      MongoCommandException failed =
          catchThrowableOfType(
              MongoCommandException.class,
              () -> plain.getDatabase("test").runCommand(session, insert));
      List<String> labels = label.isEmpty() ? List.of() : List.of(label);
      assertThat(failed.getErrorLabels()).containsExactlyInAnyOrderElementsOf(labels);
      set(
          "{times: 1}",
          "{failCommands: ['insert'], errorCode: %d, errorLabels: ['Mine']}".formatted(code));
      failed =
          catchThrowableOfType(
              MongoCommandException.class,
              () -> plain.getDatabase("test").runCommand(session, insert));
      assertThat(failed.getErrorLabels()).containsExactly("Mine");
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedInMongosWords() {
    refused("{configureFailPoint: 'other', mode: 'off'}", 266, "other not found");
    refused("{configureFailPoint: 'failCommand'}", 20, "you must supply a 'mode'");
    refused("{configureFailPoint: 'failCommand', mode: 'on'}", 2, "unknown mode: on");
    refused("{configureFailPoint: 'failCommand', mode: 1}", 14, "must be a string or JSON object");
    refused("{configureFailPoint: 'failCommand', mode: {}}", 2, "'mode' must be one of 'off'");
    refused("{configureFailPoint: 'failCommand', mode: {times: -1}}", 2, "must be positive");
    refused(
        "{configureFailPoint: 'failCommand', mode: {activationProbability: 2}}",
        2,
        "must be between 0.0 and 1.0");
    refused(
        "{configureFailPoint: 'failCommand', mode: 'alwaysOn', data: {blockConnection: true}}",
        72,
        "must specify 'blockTimeMS'");
  }

  private static void refused(String command, int code, String words) {
    MongoCommandException refused =
        catchThrowableOfType(
            MongoCommandException.class, () -> admin.runCommand(Document.parse(command)));
    assertThat(refused.getErrorCode()).isEqualTo(code);
    assertThat(refused.getErrorMessage()).contains(words);
  }

  @Test
  void withoutTestCommandsItIsUnknown() throws IOException {
    assertThat(admin.runCommand(Document.parse("{getParameter: 1, enableTestCommands: 1}")))
        .containsEntry("enableTestCommands", true);
    try (TestServer other = TestServer.start("--ephemeral");
        MongoClient asking = other.client("", "")) {
      assertThatThrownBy(
              () ->
                  asking
                      .getDatabase("admin")
                      .runCommand(
                          Document.parse("{configureFailPoint: 'failCommand', mode: 'off'}")))
          .hasMessageContaining("no such command: 'configureFailPoint'");
    }
  }
}
