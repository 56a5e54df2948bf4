package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a stream begins, what it shows on demand, and in which order options are looked at. */
final class StreamOptionsTest {
  private static BsonDocument run(MongoDatabase database, String command) {
    return database.runCommand(BsonDocument.parse(command), BsonDocument.class);
  }

  /** The cursor of a stream on a collection with its first events. */
  private static BsonDocument open(
      MongoDatabase database, String collection, BsonDocument options, String... stages) {
    var pipeline = new BsonArray();
    pipeline.add(new BsonDocument("$changeStream", options));
    for (String stage : stages) {
      pipeline.add(BsonDocument.parse(stage));
    }
    var command =
        new BsonDocument("aggregate", new BsonString(collection))
            .append("pipeline", pipeline)
            .append("cursor", new BsonDocument("batchSize", new BsonInt32(100)));
    return database.runCommand(command, BsonDocument.class).getDocument("cursor");
  }

  private static List<BsonDocument> events(BsonDocument cursor) {
    var events = new ArrayList<BsonDocument>();
    for (BsonValue event : cursor.getArray("firstBatch")) {
      events.add(event.asDocument());
    }
    return events;
  }

  private static String refusal(
      MongoDatabase database, String collection, BsonDocument options, String... stages) {
    try {
      open(database, collection, options, stages);
      return "none";
    } catch (MongoCommandException e) {
      return e.getErrorCode()
          + " "
          + e.getErrorMessage()
          + (e.hasErrorLabel("NonResumableChangeStreamError") ? " for good" : "");
    }
  }

  private static BsonDocument after(BsonDocument token) {
    return new BsonDocument("resumeAfter", token);
  }

  /** An insert, an update and a deletion. */
  private static List<BsonDocument> threeEvents(MongoDatabase database) {
    run(database, "{create: 'things'}");
    BsonDocument start =
        open(database, "things", new BsonDocument()).getDocument("postBatchResumeToken");
    run(database, "{insert: 'things', documents: [{_id: 1}]}");
    run(database, "{update: 'things', updates: [{q: {_id: 1}, u: {$set: {a: 1}}}]}");
    run(database, "{delete: 'things', deletes: [{q: {_id: 1}, limit: 1}]}");
    return events(open(database, "things", after(start)));
  }

  @Test
  void theEventOfATokenMustBeInTheStream() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      List<BsonDocument> three = threeEvents(database);
      BsonDocument first = three.get(0).getDocument("_id");
      String lost = "cannot resume stream; the resume token was not found. {_data: ";
      String deletions = "{$match: {operationType: 'delete'}}";
      assertThat(refusal(database, "things", after(first), deletions))
          .startsWith("280 ")
          .contains(lost)
          .endsWith("for good");
      assertThat(refusal(database, "things", after(first), "{$match: {operationType: 'none'}}"))
          .isEqualTo("none"); // nothing has come yet that would show it
      assertThat(events(open(database, "things", after(first), "{$match: {ns: {$exists: 1}}}")))
          .isEqualTo(three.subList(1, 3));
      assertThat(
              events(open(database, "things", after(three.get(2).getDocument("_id")), deletions)))
          .isEmpty();

      run(database, "{insert: 'others', documents: [{_id: 2}]}");
      assertThat(refusal(database, "others", after(first))).startsWith("280 ").contains(lost);
    }
  }

  /** What a condition hides is no place to come back to. */
  @Test
  void thePlaceBehindABatchIsOneToGoOnFrom() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      List<BsonDocument> three = threeEvents(database);
      String updates = "{$match: {operationType: 'update'}}";
      BsonDocument token = three.get(1).getDocument("_id");
      for (int round = 0; round < 3; round++) {
        run(database, "{insert: 'things', documents: [{_id: 7}]}");
        run(database, "{update: 'things', updates: [{q: {_id: 7}, u: {$set: {a: 1}}}]}");
        run(database, "{delete: 'things', deletes: [{q: {_id: 7}, limit: 1}]}");
        BsonDocument cursor = open(database, "things", after(token), updates);
        assertThat(events(cursor)).hasSize(1);
        token = cursor.getDocument("postBatchResumeToken");
        assertThat(refusal(database, "things", after(token), updates)).isEqualTo("none");
      }
    }
  }

  @Test
  void optionsAreLookedAtInMongoDbsOrder() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      String bad = "resumeAfter: {_data: '8200000000'}";
      String[][] cases = {
        {"{fullDocument: 'x', foo: 1}", "2 Enumeration value 'x'"},
        {"{foo: 1, fullDocument: 'x'}", "40415 BSON field '$changeStream.foo'"},
        {"{" + bad + ", startAfter: {_data: 'x'}}", "50865 Do not specify both"},
        {"{" + bad + ", allChangesForCluster: true}", "72 A $changeStream with"},
        {"{" + bad + ", startAtOperationTime: {$timestamp: {t: 1, i: 1}}}", "15 Invalid advance"},
        {"{resumeAfter: {_data: '82', _typeBits: 1}}", "40648 Bad resume token: _typeBits"},
        {"{showMigrationEvents: true}", "none"},
        {"{showSystemEvents: true}", "238 "},
        {"{showRequestCharge: 1}", "14 Field 'showRequestCharge' should be a boolean"},
      };
      for (String[] one : cases) {
        assertThat(refusal(database, "things", BsonDocument.parse(one[0])))
            .as(one[0])
            .startsWith(one[1]);
      }
      run(database, "{create: 'things'}");
      BsonDocument start =
          open(database, "things", new BsonDocument()).getDocument("postBatchResumeToken");
      run(database, "{drop: 'things'}");
      BsonDocument end = events(open(database, "things", after(start))).get(1);
      assertThat(refusal(database, "things", after(end.getDocument("_id"))))
          .startsWith("260 Attempting to resume a change stream using 'resumeAfter'")
          .endsWith("from an invalidate notification");
    }
  }

  @Test
  void aTimeSeriesIsAViewOfWhatCannotBeWatched() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      try (var all = database.watch().cursor();
          var more = database.watch().showExpandedEvents(true).cursor()) {
        run(database, "{create: 'series', timeseries: {timeField: 't', metaField: 'm'}}");
        run(database, "{insert: 'series', documents: [{t: {$date: 0}, m: 1}]}");
        assertThat(refusal(database, "series", new BsonDocument())).startsWith("166 Cannot run");
        run(database, "{drop: 'series'}");
        run(database, "{insert: 'things', documents: [{_id: 1}]}");

        assertThat(all.next().getNamespace().getCollectionName()).isEqualTo("things");
        assertThat(more.next().getOperationTypeString()).isEqualTo("create");
        assertThat(more.next().getOperationTypeString()).isEqualTo("drop");
        assertThat(more.next().getNamespace().getCollectionName()).isEqualTo("things");
      }
    }
  }

  @Test
  void eventsCanTellWhatTheirWriteCost() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "maxPoolSize=1")) {
      MongoDatabase database = client.getDatabase("db");
      run(database, "{create: 'things'}");
      run(
          database,
          "{createIndexes: 'things', indexes: [{key: {a: 1}, name: 'a'},"
              + " {key: {u: 1}, name: 'u', unique: true}]}");
      BsonDocument start =
          open(database, "things", new BsonDocument()).getDocument("postBatchResumeToken");
      run(database, "{insert: 'things', documents: [{_id: 1, a: [1, 2, 3], u: 7}]}");
      double insert = charge(database);
      run(database, "{update: 'things', updates: [{q: {_id: 1}, u: {$set: {a: [1]}}}]}");
      double update = charge(database);
      run(database, "{delete: 'things', deletes: [{q: {_id: 1}, limit: 1}]}");
      double delete = charge(database);

      List<BsonDocument> told =
          events(
              open(database, "things", after(start).append("showRequestCharge", BsonBoolean.TRUE)));

      assertThat(told).extracting(StreamOptionsTest::lastField).containsOnly("requestCharge");
      List<Double> charges =
          told.stream().map(each -> each.getDouble("requestCharge").getValue()).toList();
      assertThat(charges.get(0)).isEqualTo(insert);
      // A request that changes something reads it first.
      assertThat(charges.get(1)).isPositive().isLessThanOrEqualTo(update);
      assertThat(charges.get(2)).isPositive().isLessThanOrEqualTo(delete);
      assertThat(lastField(events(open(database, "things", after(start))).get(0)))
          .isEqualTo("documentKey");
    }
  }

  private static String lastField(BsonDocument document) {
    return List.copyOf(document.keySet()).get(document.size() - 1);
  }

  private static double charge(MongoDatabase database) {
    return run(database, "{getLastRequestStatistics: 1}").getNumber("RequestCharge").doubleValue();
  }

  @Test
  void imagesExpireWhenTheClusterParameterSaysSo() throws Exception {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase admin = client.getDatabase("admin");
      MongoDatabase database = client.getDatabase("db");
      run(database, "{create: 'things', changeStreamPreAndPostImages: {enabled: true}}");
      run(database, "{insert: 'things', documents: [{_id: 1, a: 1}]}");
      BsonDocument start =
          open(database, "things", new BsonDocument()).getDocument("postBatchResumeToken");
      run(database, "{update: 'things', updates: [{q: {_id: 1}, u: {$set: {a: 2}}}]}");
      BsonDocument kept =
          after(start).append("fullDocumentBeforeChange", new BsonString("required"));
      assertThat(before(database, kept)).isEqualTo(BsonDocument.parse("{_id: 1, a: 1}"));

      run(admin, set("1"));
      kept.put("fullDocumentBeforeChange", new BsonString("whenAvailable"));
      Instant deadline = Instant.now().plusSeconds(60);
      while (!before(database, kept).isNull()) {
        assertThat(Instant.now()).isBefore(deadline);
        Thread.sleep(100);
      }
      kept.put("fullDocumentBeforeChange", new BsonString("required"));
      assertThat(refusal(database, "things", kept)).startsWith("47 ");
      run(admin, set("'off'"));
      assertThat(before(database, kept)).isEqualTo(BsonDocument.parse("{_id: 1, a: 1}"));
    }
  }

  private static BsonValue before(MongoDatabase database, BsonDocument options) {
    return events(open(database, "things", options)).get(0).get("fullDocumentBeforeChange");
  }

  private static String set(String seconds) {
    return "{setClusterParameter: {changeStreamOptions:"
        + " {preAndPostImages: {expireAfterSeconds: %s}}}}".formatted(seconds);
  }

  @Test
  void theClusterParameterOutlivesTheServer(@TempDir Path directory) throws IOException {
    String data = "--data=" + directory.resolve("data");
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "")) {
      run(client.getDatabase("admin"), set("100"));
    }
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "")) {
      BsonArray found =
          run(client.getDatabase("admin"), "{getClusterParameter: '*'}")
              .getArray("clusterParameters");
      assertThat(found.get(0).asDocument().getDocument("preAndPostImages"))
          .isEqualTo(BsonDocument.parse("{expireAfterSeconds: {$numberLong: '100'}}"));
    }
  }
}
