package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** Transactions as change streams tell them: every change, in its order, as one block. */
final class StreamTransactionsTest {
  private static final BsonTimestamp BEGINNING = new BsonTimestamp(1, 1);

  private static List<ChangeStreamDocument<Document>> next(
      MongoChangeStreamCursor<ChangeStreamDocument<Document>> events, int count) {
    var found = new ArrayList<ChangeStreamDocument<Document>>();
    for (int i = 0; i < count; i++) {
      found.add(events.next());
    }
    return found;
  }

  private static String text(ChangeStreamDocument<Document> event) {
    String type = event.getOperationType().getValue();
    String what = event.getNamespace().getCollectionName() + event.getDocumentKey().get("_id");
    return event.getUpdateDescription() == null
        ? type + " " + what
        : type + " " + what + " " + event.getUpdateDescription().getUpdatedFields();
  }

  @Test
  void everyChangeIsToldInItsOrder() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      MongoCollection<Document> a = database.getCollection("a");
      MongoCollection<Document> b = database.getCollection("b");
      a.insertOne(new Document("_id", 1));
      b.insertOne(new Document("_id", 1));
      try (var events = database.watch().cursor();
          ClientSession session = client.startSession()) {
        session.startTransaction();
        b.insertOne(session, new Document("_id", 2));
        a.updateOne(session, Filters.eq(1), Updates.set("v", 1));
        b.deleteOne(session, Filters.eq(2));
        a.updateOne(session, Filters.eq(1), Updates.inc("v", 1));
        b.replaceOne(session, Filters.eq(1), new Document("w", 1));
        session.commitTransaction();

        List<ChangeStreamDocument<Document>> told = next(events, 5);
        assertThat(told.stream().map(StreamTransactionsTest::text))
            .containsExactly(
                "insert bBsonInt32{value=2}",
                "update aBsonInt32{value=1} {\"v\": 1}",
                "delete bBsonInt32{value=2}",
                "update aBsonInt32{value=1} {\"v\": 2}",
                "replace bBsonInt32{value=1}");
        assertThat(told.stream().map(ChangeStreamDocument::getClusterTime).distinct()).hasSize(1);
        assertThat(told.stream().map(ChangeStreamDocument::getTxnNumber).distinct()).hasSize(1);
        assertThat(told.get(0).getTxnNumber()).isNotNull();
        BsonDocument third = told.get(2).getResumeToken();
        try (var resumed = database.watch().resumeAfter(third).cursor()) {
          assertThat(next(resumed, 2).stream().map(StreamTransactionsTest::text))
              .isEqualTo(told.subList(3, 5).stream().map(StreamTransactionsTest::text).toList());
        }
      }
    }
  }

  @Test
  void whatComesToNothingIsToldToo() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> a = client.getDatabase("db").getCollection("a");
      a.insertOne(new Document("_id", 0));
      try (var events = a.watch().cursor();
          ClientSession session = client.startSession()) {
        session.startTransaction();
        a.insertOne(session, new Document("_id", 1));
        a.deleteOne(session, Filters.eq(1));
        session.commitTransaction();
        assertThat(next(events, 2).stream().map(StreamTransactionsTest::text))
            .containsExactly("insert aBsonInt32{value=1}", "delete aBsonInt32{value=1}");
        assertThat(a.countDocuments()).isEqualTo(1);
      }
    }
  }

  @Test
  void eachStepHasItsImage() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoDatabase database = client.getDatabase("db");
      database.runCommand(
          Document.parse("{create: 'a', changeStreamPreAndPostImages: {enabled: true}}"));
      MongoCollection<Document> a = database.getCollection("a");
      a.insertOne(new Document("_id", 1).append("v", 0));
      try (var events =
              a.watch().fullDocumentBeforeChange(FullDocumentBeforeChange.REQUIRED).cursor();
          ClientSession session = client.startSession()) {
        session.startTransaction();
        for (int i = 0; i < 3; i++) {
          a.updateOne(session, Filters.eq(1), Updates.inc("v", 1));
        }
        session.commitTransaction();
        assertThat(
                next(events, 3).stream()
                    .map(event -> event.getFullDocumentBeforeChange().getInteger("v")))
            .containsExactly(0, 1, 2);
      }
    }
  }

  /** Any transactions: who applies the events one by one has what is there. */
  @Test
  void eventsOfAnyTransactionsMakeTheCollection() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> a = client.getDatabase("db").getCollection("a");
      a.insertOne(new Document("_id", 0).append("v", 0));
      long seed = System.nanoTime();
      var random = new Random(seed);
      int changes = 1;
      for (int i = 0; i < 30; i++) {
        try (ClientSession session = client.startSession()) {
          session.startTransaction();
          for (int step = 0; step < 8; step++) {
            changes += change(a, session, random) ? 1 : 0;
          }
          session.commitTransaction();
        }
      }
      var copy = new TreeMap<Integer, Document>();
      try (var events = a.watch().startAtOperationTime(BEGINNING).cursor()) {
        next(events, changes).forEach(event -> apply(event, copy, seed));
      }
      assertThat(copy.values())
          .as("seed " + seed)
          .containsExactlyInAnyOrderElementsOf(a.find().into(new ArrayList<>()));
    }
  }

  private static boolean change(MongoCollection<Document> a, ClientSession session, Random random) {
    int id = random.nextInt(6);
    boolean isThere = a.find(session, Filters.eq(id)).first() != null;
    if (!isThere) {
      a.insertOne(session, new Document("_id", id).append("v", 0));
      return true;
    }
    return random.nextInt(3) == 0
        ? a.deleteOne(session, Filters.eq(id)).getDeletedCount() == 1
        : a.updateOne(session, Filters.eq(id), Updates.inc("v", 1)).getModifiedCount() == 1;
  }

  private static void apply(
      ChangeStreamDocument<Document> event, TreeMap<Integer, Document> copy, long seed) {
    int id = event.getDocumentKey().getInt32("_id").getValue();
    String what = event + ", seed " + seed;
    switch (event.getOperationType()) {
      case INSERT -> assertThat(copy.put(id, event.getFullDocument())).as(what).isNull();
      case DELETE -> assertThat(copy.remove(id)).as(what).isNotNull();
      default -> {
        int v = event.getUpdateDescription().getUpdatedFields().getInt32("v").getValue();
        assertThat(copy.get(id).put("v", v)).as(what).isEqualTo(v - 1);
      }
    }
  }
}
