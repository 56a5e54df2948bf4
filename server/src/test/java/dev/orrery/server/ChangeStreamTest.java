package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import com.mongodb.client.model.changestream.OperationType;
import dev.orrery.server.store.TestEngines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a driver sees that watches. */
final class ChangeStreamTest {
  private static final long AWAIT_SECONDS = 20;

  private static MongoCollection<Document> things(MongoClient client) {
    return client.getDatabase("db").getCollection("things");
  }

  private static MongoChangeStreamCursor<ChangeStreamDocument<Document>> open(
      ChangeStreamIterable<Document> stream) {
    return stream.maxAwaitTime(AWAIT_SECONDS, TimeUnit.SECONDS).cursor();
  }

  @Test
  void everyChangeIsAnEventInOrder() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var things = things(client);
      things.insertOne(Document.parse("{_id: 0}"));
      try (var events = open(things.watch())) {
        things.insertOne(Document.parse("{_id: 1, a: 1, l: [1, 2]}"));
        things.updateOne(Filters.eq(1), Updates.combine(Updates.set("a", 2), Updates.push("l", 3)));
        things.replaceOne(Filters.eq(1), Document.parse("{b: 1}"));
        things.deleteOne(Filters.eq(1));
        client.getDatabase("db").getCollection("others").insertOne(new Document());
        things.drop();

        assertThat(events.next().getFullDocument())
            .isEqualTo(Document.parse("{_id: 1, a: 1, l: [1, 2]}"));
        ChangeStreamDocument<Document> update = events.next();
        assertThat(update.getUpdateDescription().getUpdatedFields())
            .isEqualTo(BsonDocument.parse("{a: 2, 'l.2': 3}"));
        assertThat(update.getFullDocument()).isNull();
        assertThat(events.next().getOperationType()).isEqualTo(OperationType.REPLACE);
        ChangeStreamDocument<Document> delete = events.next();
        assertThat(delete.getOperationType()).isEqualTo(OperationType.DELETE);
        assertThat(delete.getDocumentKey()).isEqualTo(BsonDocument.parse("{_id: 1}"));
        assertThat(events.next().getOperationType()).isEqualTo(OperationType.DROP);
        assertThat(events.next().getOperationType()).isEqualTo(OperationType.INVALIDATE);
      }
    }
  }

  @Test
  void oneWhoWaitsIsWokenUpByAWrite() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var things = things(client);
      things.insertOne(Document.parse("{_id: 0}"));
      try (var events = open(things.watch())) {
        assertThat(events.tryNext()).isNull();
        long start = System.nanoTime();
        var writer = new Thread(() -> things.insertOne(Document.parse("{_id: 1}")));
        writer.start();
        assertThat(events.next().getOperationType()).isEqualTo(OperationType.INSERT);
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(AWAIT_SECONDS));
      }
    }
  }

  @Test
  void aStreamGoesOnOverARestartWhereItWas(@TempDir Path directory) throws IOException {
    String data = "--data=" + directory.resolve("data");
    BsonDocument token;
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "")) {
      var things = things(client);
      try (var events = open(things.watch())) {
        things.insertMany(
            List.of(
                Document.parse("{_id: 1}"),
                Document.parse("{_id: 2}"),
                Document.parse("{_id: 3}")));
        events.next();
        token = events.next().getResumeToken();
      }
      things.insertOne(Document.parse("{_id: 4}"));
    }
    try (TestServer server = TestServer.start(data);
        MongoClient client = server.client("", "");
        var events = open(things(client).watch().resumeAfter(token))) {
      things(client).insertOne(Document.parse("{_id: 5}"));
      var ids = new ArrayList<Integer>();
      for (int i = 0; i < 3; i++) {
        ids.add(events.next().getFullDocument().getInteger("_id"));
      }
      assertThat(ids).containsExactly(3, 4, 5);
    }
  }

  @Test
  void aConsumerThatIsCutOffFiftyTimesEndsWithACopy() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      partition(client);
      var things = things(client);
      var random = new Random(50);
      var copy = new TreeMap<Integer, Document>();
      BsonDocument token;
      try (var events = things.watch().maxAwaitTime(1, TimeUnit.MILLISECONDS).cursor()) {
        assertThat(events.tryNext()).isNull();
        token = events.getResumeToken();
      }
      for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 10; i++) {
          change(things, random, round);
        }
        if (round % 20 == 10) {
          var split = "{splitPartition: 'things', partition: %d}".formatted(round / 20);
          client.getDatabase("db").runCommand(Document.parse(split));
        }
        token = follow(things, token, copy, random.nextInt(15));
      }
      follow(things, token, copy, Integer.MAX_VALUE);

      assertThat(copy.values())
          .containsExactlyInAnyOrderElementsOf(things.find().into(new ArrayList<>()));
    }
  }

  /** By a way that sets no limit to what requests may cost. */
  private static void partition(MongoClient client) {
    client
        .getDatabase("admin")
        .runCommand(Document.parse("{shardCollection: 'db.things', key: {p: 'hashed'}}"));
  }

  private static void change(MongoCollection<Document> things, Random random, int round) {
    int id = random.nextInt(30);
    var filter = Filters.and(Filters.eq("p", "k" + id % 7), Filters.eq(id));
    if (things.find(filter).first() == null) {
      things.insertOne(new Document("_id", id).append("p", "k" + id % 7).append("round", round));
    } else if (random.nextInt(4) == 0) {
      things.deleteOne(filter);
    } else {
      things.updateOne(filter, Updates.combine(Updates.set("round", round), Updates.inc("n", 1)));
    }
  }

  /** Applies events up to so many, each exactly once, and tells where it was cut off. */
  private static BsonDocument follow(
      MongoCollection<Document> things,
      BsonDocument from,
      TreeMap<Integer, Document> copy,
      int count) {
    BsonDocument token = from;
    try (var events =
        things.watch().resumeAfter(from).maxAwaitTime(1, TimeUnit.MILLISECONDS).cursor()) {
      int quiet = 0;
      for (int i = 0; i < count && quiet < 20; ) {
        ChangeStreamDocument<Document> event = events.tryNext();
        if (event == null) {
          quiet++;
          continue;
        }
        i++;
        apply(event, copy);
        token = event.getResumeToken();
      }
    }
    return token;
  }

  private static void apply(ChangeStreamDocument<Document> event, TreeMap<Integer, Document> copy) {
    int id = event.getDocumentKey().getInt32("_id").getValue();
    switch (event.getOperationType()) {
      case INSERT -> assertThat(copy.put(id, event.getFullDocument())).isNull();
      case DELETE -> assertThat(copy.remove(id)).isNotNull();
      case UPDATE -> {
        Document before = copy.get(id);
        BsonDocument fields = event.getUpdateDescription().getUpdatedFields();
        assertThat(fields.getInt32("n").getValue()).isEqualTo(before.getInteger("n", 0) + 1);
        fields.forEach((name, value) -> before.append(name, value.asInt32().getValue()));
      }
      default -> throw new AssertionError(event);
    }
  }

  @Test
  void aLookedUpDocumentIsNeverOlderThanItsEvent() throws Exception {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var things = things(client);
      things.insertOne(Document.parse("{_id: 1, n: 0}"));
      int count = 1500;
      try (var events = open(things.watch().fullDocument(FullDocument.UPDATE_LOOKUP))) {
        var writer =
            new Thread(
                () -> {
                  for (int i = 0; i < count; i++) {
                    things.updateOne(Filters.eq(1), Updates.inc("n", 1));
                  }
                });
        writer.start();
        for (int i = 1; i <= count; i++) {
          ChangeStreamDocument<Document> event = events.next();
          assertThat(event.getUpdateDescription().getUpdatedFields().getInt32("n").getValue())
              .isEqualTo(i);
          assertThat(event.getFullDocument().getInteger("n")).isGreaterThanOrEqualTo(i);
        }
        writer.join();
      }
    }
  }

  @Test
  void theServerTellsHowFarBackAStreamCanBegin() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var things = things(client);
      things.insertOne(Document.parse("{_id: 1}"));
      things.insertOne(Document.parse("{_id: 2}"));
      Document info = client.getDatabase("db").runCommand(Document.parse("{changeFeedInfo: 1}"));
      var first = info.get("tFirst", BsonTimestamp.class);
      var last = info.get("tLast", BsonTimestamp.class);
      assertThat(info.getLong("timeDiff")).isEqualTo((long) last.getTime() - first.getTime());
      if (TestEngines.isUnkind()) { // it has no log
        assertThat(info).doesNotContainKey("usedMB");
      } else {
        assertThat(info.getDouble("usedMB")).isPositive();
      }
      var next = new BsonTimestamp(first.getValue() + 1);
      try (var events = open(things.watch().startAtOperationTime(next))) {
        assertThat(events.next().getDocumentKey().getInt32("_id").getValue()).isEqualTo(1);
      }
    }
  }

  @Test
  void theDocumentKeyHasThePartitionKey() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      partition(client);
      try (var events = open(things(client).watch())) {
        things(client).insertOne(Document.parse("{_id: 1, p: 'x'}"));
        things(client).deleteOne(Document.parse("{_id: 1, p: 'x'}"));
        var key = BsonDocument.parse("{p: 'x', _id: 1}");
        assertThat(events.next().getDocumentKey()).isEqualTo(key);
        assertThat(events.next().getDocumentKey()).isEqualTo(key);
      }
    }
  }

  @Test
  void imagesShowWhatWasBeforeAndAfter() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var images = "{create: 'things', changeStreamPreAndPostImages: {enabled: true}}";
      client.getDatabase("db").runCommand(Document.parse(images));
      var things = things(client);
      things.insertOne(Document.parse("{_id: 1, a: 1}"));
      try (var events =
          open(
              things
                  .watch(List.of(Aggregates.match(Filters.eq("operationType", "update"))))
                  .fullDocument(FullDocument.REQUIRED)
                  .fullDocumentBeforeChange(FullDocumentBeforeChange.REQUIRED))) {
        things.updateOne(Filters.eq(1), Updates.set("a", 2));
        things.updateOne(Filters.eq(1), Updates.set("a", 3));

        ChangeStreamDocument<Document> first = events.next();
        assertThat(first.getFullDocumentBeforeChange()).isEqualTo(Document.parse("{_id: 1, a: 1}"));
        assertThat(first.getFullDocument()).isEqualTo(Document.parse("{_id: 1, a: 2}"));
      }
    }
  }

  @Test
  void aDatabaseAndTheWholeServerCanBeWatched() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var database = client.getDatabase("db");
      try (var ofDatabase = open(database.watch());
          var ofAll = open(client.watch())) {
        database.getCollection("a").insertOne(Document.parse("{_id: 1}"));
        client.getDatabase("other").getCollection("b").insertOne(Document.parse("{_id: 2}"));
        database.drop();

        assertThat(ofDatabase.next().getNamespace().getFullName()).isEqualTo("db.a");
        assertThat(ofDatabase.next().getOperationType()).isEqualTo(OperationType.DROP);
        assertThat(ofDatabase.next().getOperationType()).isEqualTo(OperationType.DROP_DATABASE);
        assertThat(ofDatabase.next().getOperationType()).isEqualTo(OperationType.INVALIDATE);
        assertThat(ofAll.next().getNamespace().getFullName()).isEqualTo("db.a");
        assertThat(ofAll.next().getNamespace().getFullName()).isEqualTo("other.b");
      }
    }
  }

  @Test
  void aPipelineMustLeaveTheTokenAlone() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var things = things(client);
      things.insertOne(Document.parse("{_id: 0}"));
      try (var events = things.watch(List.of(Document.parse("{$project: {_id: 0}}"))).cursor()) {
        things.insertOne(Document.parse("{_id: 1}"));
        assertThatThrownBy(events::next)
            .isInstanceOfSatisfying(
                MongoCommandException.class,
                e -> {
                  assertThat(e.getErrorCode()).isEqualTo(280);
                  assertThat(e.hasErrorLabel("NonResumableChangeStreamError")).isTrue();
                });
      }
    }
  }
}
