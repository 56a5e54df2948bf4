package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who pauses for longer than changes are kept is told so, and how far back they reach. */
@Tag("embedded") // other engines keep all
@Tag("embedded") // what forgets is the compaction of a log
final class LostHistoryTest {
  private static final String[] SMALL_LOG = {
    "--limit", "log-segment=64KB", "--limit", "change-retention=off"
  };
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int UPDATES = 200;

  private static BsonDocument run(MongoDatabase database, String command) {
    return database.runCommand(BsonDocument.parse(command), BsonDocument.class);
  }

  private static BsonDocument open(MongoDatabase database, BsonDocument options, String stages) {
    BsonArray pipeline = BsonArray.parse("[" + stages + "]");
    pipeline.add(0, new BsonDocument("$changeStream", options));
    var command =
        new BsonDocument("aggregate", new BsonString("things"))
            .append("pipeline", pipeline)
            .append("cursor", new BsonDocument());
    return database.runCommand(command, BsonDocument.class).getDocument("cursor");
  }

  /** Writes until the log has forgotten what came right after that time. */
  private static void forget(MongoDatabase database, BsonTimestamp time) {
    Instant deadline = Instant.now().plus(PATIENCE);
    String text = "x".repeat(1000);
    while (first(database).compareTo(time) <= 0) {
      assertThat(Instant.now()).isBefore(deadline);
      for (int i = 0; i < UPDATES; i++) {
        String filter = "{_id: 1, p: 'a'}";
        run(
            database,
            "{update: 'things', updates: [{q: %s, u: {$set: {n: %d, t: '%s'}}}]}"
                .formatted(filter, i, text));
      }
      run(database, "{compact: 'things', force: true}");
    }
  }

  private static BsonTimestamp first(MongoDatabase database) {
    return run(database, "{changeFeedInfo: 1}").getTimestamp("tFirst");
  }

  private static BsonTimestamp last(MongoDatabase database) {
    return run(database, "{changeFeedInfo: 1}").getTimestamp("tLast");
  }

  @Test
  void bothATokenAndAPausedStreamTellTheOldestTime() throws IOException {
    try (TestServer server = TestServer.start(SMALL_LOG);
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      run(database, "{insert: 'things', documents: [{_id: 1, p: 'a'}]}");
      BsonDocument cursor = open(database, new BsonDocument(), "");
      forget(database, last(database));
      var token = new BsonDocument("resumeAfter", cursor.getDocument("postBatchResumeToken"));
      var more =
          new BsonDocument("getMore", new BsonInt64(cursor.getNumber("id").longValue()))
              .append("collection", new BsonString("things"));

      for (Runnable call :
          new Runnable[] {() -> open(database, token, ""), () -> database.runCommand(more)}) {
        assertThatThrownBy(call::run)
            .isInstanceOfSatisfying(
                MongoCommandException.class,
                e -> {
                  assertThat(e.getErrorCode()).isEqualTo(286);
                  assertThat(e.hasErrorLabel("NonResumableChangeStreamError")).isTrue();
                  assertThat(e.getErrorMessage())
                      .contains("the resume point may no longer be in the oplog")
                      .containsPattern("changes are kept from Timestamp\\(\\d{9,}, \\d+\\) on");
                });
      }
    }
  }

  @Test
  void cosmosDbCallsItExpired() throws IOException {
    String[] arguments = new String[SMALL_LOG.length + 1];
    System.arraycopy(SMALL_LOG, 0, arguments, 1, SMALL_LOG.length);
    arguments[0] = "--profile=cosmos";
    try (TestServer server = TestServer.start(arguments);
        MongoClient client = server.client("", "retryWrites=false")) {
      MongoDatabase database = client.getDatabase("db");
      run(
          database,
          "{customAction: 'CreateCollection', collection: 'things', shardKey: 'p',"
              + " offerThroughput: 1000000}");
      run(database, "{insert: 'things', documents: [{_id: 1, p: 'a'}]}");
      String stages = "{$match: {}}, {$project: {_id: 1}}";
      var options = BsonDocument.parse("{fullDocument: 'updateLookup'}");
      BsonDocument token = open(database, options, stages).getDocument("postBatchResumeToken");
      assertThat(token.get("_data")).isInstanceOf(BsonBinary.class);
      forget(database, last(database));

      options.append("resumeAfter", token);
      assertThatThrownBy(() -> open(database, options, stages))
          .isInstanceOfSatisfying(
              MongoCommandException.class,
              e -> {
                assertThat(e.getErrorCode()).isEqualTo(72);
                assertThat(e.getErrorMessage()).startsWith("Expired resume token or cursor");
              });
    }
  }
}
