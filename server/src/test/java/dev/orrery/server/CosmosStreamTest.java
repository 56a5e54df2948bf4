package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** Change streams as the profile cosmos has them, and what is left of it rule by rule. */
final class CosmosStreamTest {
  private static final String STAGES =
      "{$match: {operationType: {$in: ['insert', 'update', 'replace']}}},"
          + " {$project: {_id: 1, fullDocument: 1, ns: 1, documentKey: 1}}";
  private static final String LOOKUP = "fullDocument: 'updateLookup'";

  private static BsonDocument run(MongoDatabase database, String command) {
    return database.runCommand(BsonDocument.parse(command), BsonDocument.class);
  }

  private static MongoDatabase things(MongoClient client) {
    MongoDatabase database = client.getDatabase("db");
    run(
        database,
        "{customAction: 'CreateCollection', collection: 'things', shardKey: 'p',"
            + " offerThroughput: 20000}");
    return database;
  }

  private static void insert(MongoDatabase database, int from, int to) {
    for (int id = from; id < to; id++) {
      run(database, "{insert: 'things', documents: [{_id: %d, p: 'k%d'}]}".formatted(id, id));
    }
  }

  /** The first events behind a token, and where it goes on. */
  private static BsonDocument open(MongoDatabase database, BsonValue token, String stages) {
    var options = new BsonDocument("fullDocument", new BsonString("updateLookup"));
    if (token != null) {
      options.append("resumeAfter", token);
    }
    var pipeline = BsonArray.parse("[" + stages + "]");
    pipeline.add(0, new BsonDocument("$changeStream", options));
    var command =
        new BsonDocument("aggregate", new BsonString("things"))
            .append("pipeline", pipeline)
            .append("cursor", new BsonDocument("batchSize", new BsonInt32(1000)));
    return database.runCommand(command, BsonDocument.class).getDocument("cursor");
  }

  private static List<Integer> ids(BsonDocument cursor) {
    var ids = new ArrayList<Integer>();
    for (BsonValue event : cursor.getArray("firstBatch")) {
      ids.add(event.asDocument().getDocument("documentKey").getInt32("_id").getValue());
    }
    return ids;
  }

  private static String refusal(MongoDatabase database, String pipeline) {
    try {
      run(database, "{aggregate: 'things', pipeline: [%s], cursor: {}}".formatted(pipeline));
      return "none";
    } catch (MongoCommandException e) {
      return e.getErrorCode() + " " + e.getErrorMessage();
    }
  }

  @Test
  void aStreamMustHaveCosmosDbsShape() throws IOException {
    try (TestServer server = TestServer.start("--profile=cosmos");
        MongoClient client = server.client("", "")) {
      MongoDatabase database = things(client);
      String words = "2 Change stream must be followed by a match and then a project stage";
      String stream = "{$changeStream: {" + LOOKUP + "}}";
      assertThat(refusal(database, stream)).isEqualTo(words);
      assertThat(refusal(database, stream + ", {$match: {}}")).isEqualTo(words);
      assertThat(refusal(database, stream + ", {$project: {_id: 1}}, {$match: {}}"))
          .isEqualTo(words);
      assertThat(refusal(database, "{$changeStream: {}}, " + STAGES)).startsWith("2 ");
      assertThat(refusal(database, stream + "," + STAGES)).isEqualTo("none");
      assertThatThrownBy(
              () ->
                  run(
                      database,
                      "{aggregate: 1, pipeline: [%s], cursor: {}}"
                          .formatted(stream + "," + STAGES)))
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("Expected type string but found int.");

      String off = "change-stream-stages,change-stream-scope";
      run(client.getDatabase("admin"), "{setParameter: 1, cosmosRulesOff: '%s'}".formatted(off));
      assertThat(refusal(database, "{$changeStream: {}}")).isEqualTo("none");
      run(database, "{aggregate: 1, pipeline: [{$changeStream: {}}], cursor: {}}");
    }
  }

  @Test
  void changesOfADocumentAreFoldedAndDeletionsAreNotTold() throws IOException {
    try (TestServer server = TestServer.start("--profile=cosmos");
        MongoClient client = server.client("", "")) {
      MongoDatabase database = things(client);
      BsonDocument start = open(database, null, STAGES).getDocument("postBatchResumeToken");
      insert(database, 0, 4);
      run(database, "{update: 'things', updates: [{q: {_id: 0, p: 'k0'}, u: {$set: {n: 1}}}]}");
      run(database, "{delete: 'things', deletes: [{q: {_id: 3, p: 'k3'}, limit: 1}]}");

      BsonDocument cursor = open(database, start, STAGES);

      assertThat(ids(cursor)).containsExactly(1, 2, 0);
      BsonDocument last = cursor.getArray("firstBatch").get(2).asDocument();
      assertThat(last.keySet()).containsExactly("_id", "fullDocument", "ns", "documentKey");
      assertThat(last.getDocument("fullDocument"))
          .isEqualTo(BsonDocument.parse("{_id: 0, p: 'k0', n: 1}"));
      for (BsonValue event : cursor.getArray("firstBatch")) {
        assertThat(event.asDocument().getDocument("_id"))
            .isEqualTo(cursor.getDocument("postBatchResumeToken"));
      }
      assertThat(ids(open(database, cursor.getDocument("postBatchResumeToken"), STAGES))).isEmpty();

      run(
          client.getDatabase("admin"),
          "{setParameter: 1, cosmosRulesOff: 'change-stream-folding,change-stream-deletes'}");
      String every = "{$match: {}}, {$project: {_id: 1, operationType: 1, documentKey: 1}}";
      BsonDocument unfolded = open(database, start, every);
      assertThat(ids(unfolded)).containsExactly(0, 1, 2, 3, 0, 3);
      assertThat(unfolded.getArray("firstBatch").get(5).asDocument().getString("operationType"))
          .isEqualTo(new BsonString("delete"));
    }
  }

  @Test
  void eachPhysicalPartitionHasATokenThatASplitKeeps() throws IOException {
    try (TestServer server = TestServer.start("--profile=cosmos");
        MongoClient client = server.client("", "")) {
      MongoDatabase database = things(client);
      BsonDocument reply =
          run(database, "{customAction: 'GetChangeStreamTokens', collection: 'things'}");
      BsonArray tokens = reply.getArray("resumeAfterTokens");
      assertThat(tokens).hasSize(2);
      String json =
          new String(
              tokens.get(0).asDocument().getBinary("_data").getData(), StandardCharsets.UTF_8);
      assertThat(json)
          .matches(
              "\\{\"V\":2,\"Rid\":\"[^\"]+=\",\"Continuation\":\\[\\{\"FeedRange\":"
                  + "\\{\"type\":\"Effective Partition Key Range\",\"value\":"
                  + "\\{\"min\":\"\",\"max\":\"1F+\"\\}\\},"
                  + "\"State\":\\{\"type\":\"continuation\",\"value\":\"\\\\\"\\d+\\\\\"\"\\}\\}\\]\\}");
      insert(database, 0, 20);
      List<Integer> first = ids(open(database, tokens.get(0), STAGES));
      List<Integer> second = ids(open(database, tokens.get(1), STAGES));
      assertThat(first).isNotEmpty().doesNotContainAnyElementsOf(second);
      assertThat(first.size() + second.size()).isEqualTo(20);

      run(database, "{splitPartition: 'things', partition: 0}");
      insert(database, 20, 40);
      List<Integer> both = ids(open(database, tokens.get(0), STAGES));
      assertThat(both).containsAll(first);
      BsonArray children =
          run(
                  database,
                  "{customAction: 'GetChangeStreamTokens', collection: 'things',"
                      + " startAtOperationTime: {$timestamp: {t: 1, i: 1}}}")
              .getArray("resumeAfterTokens");
      assertThat(children).hasSize(3);
      var ofChildren = new ArrayList<>(ids(open(database, children.get(0), STAGES)));
      ofChildren.addAll(ids(open(database, children.get(1), STAGES)));
      assertThat(both).containsExactlyInAnyOrderElementsOf(ofChildren);
    }
  }

  @Test
  void aTokenOfAnotherCollectionHasExpiredAndADropIsAnError() throws IOException {
    try (TestServer server = TestServer.start("--profile=cosmos");
        MongoClient client = server.client("", "")) {
      MongoDatabase database = things(client);
      BsonDocument cursor = open(database, null, STAGES);
      BsonDocument token = cursor.getDocument("postBatchResumeToken");
      insert(database, 0, 1);
      run(database, "{drop: 'things'}");
      var more =
          new BsonDocument("getMore", new BsonInt64(cursor.getNumber("id").longValue()))
              .append("collection", new BsonString("things"));
      assertThatThrownBy(() -> database.runCommand(more))
          .isInstanceOfSatisfying(
              MongoCommandException.class, e -> assertThat(e.getErrorCode()).isEqualTo(26));
      things(client);
      assertThatThrownBy(() -> open(database, token, STAGES))
          .isInstanceOfSatisfying(
              MongoCommandException.class,
              e -> {
                assertThat(e.getErrorCode()).isEqualTo(72);
                assertThat(e.getErrorMessage())
                    .isEqualTo(
                        "Expired resume token or cursor, reinitialize the change stream cursor");
              });
    }
  }

  @Test
  void withoutTheProfileAStreamCanBeNarrowedToAPartitionOrToKeys() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = things(client);
      BsonArray tokens =
          run(database, "{customAction: 'GetChangeStreamTokens', collection: 'things'}")
              .getArray("resumeAfterTokens");
      insert(database, 0, 20);
      run(database, "{delete: 'things', deletes: [{q: {_id: 7, p: 'k7'}, limit: 1}]}");
      List<Integer> first = ids(open(database, tokens.get(0), ""));
      List<Integer> second = ids(open(database, tokens.get(1), ""));
      assertThat(first.size() + second.size()).isEqualTo(21);
      assertThat(first).isNotEmpty().doesNotContainAnyElementsOf(second);
      BsonDocument event =
          open(database, tokens.get(0), "").getArray("firstBatch").get(0).asDocument();
      assertThat(ids(open(database, event.getDocument("_id"), "")))
          .isEqualTo(first.subList(1, first.size()));

      String keys = "{$match: {'documentKey.p': {$in: ['k3', 'k7', 'k9']}}}";
      try (var events =
          database
              .getCollection("things")
              .watch(List.of(Document.parse(keys)))
              .startAtOperationTime(new BsonTimestamp(1, 1))
              .maxAwaitTime(1, TimeUnit.MILLISECONDS)
              .cursor()) {
        for (int id : List.of(3, 7, 9, 7)) {
          assertThat(events.next().getDocumentKey().getInt32("_id").getValue()).isEqualTo(id);
        }
        assertThat(events.tryNext()).isNull();
      }
    }
  }
}
