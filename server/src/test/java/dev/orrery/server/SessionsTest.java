package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sessions and the cluster time, as the Java driver sees them. */
class SessionsTest {
  private static TestServer server;
  private static MongoClient client;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    client = server.client("", "uuidRepresentation=standard");
    var documents = new ArrayList<Document>();
    for (int i = 0; i < 100; i++) {
      documents.add(new Document("_id", i));
    }
    collection().insertMany(documents);
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static MongoCollection<Document> collection() {
    return client.getDatabase("test").getCollection("c");
  }

  private static Document run(String command) {
    return client.getDatabase("admin").runCommand(Document.parse(command));
  }

  @Test
  void aKilledSessionLosesItsCursors() {
    try (ClientSession session = client.startSession();
        MongoCursor<Document> cursor = collection().find(session).batchSize(2).iterator()) {
      cursor.next();
      cursor.next();
      BsonDocument id = session.getServerSession().getIdentifier();
      run("{killSessions: [" + id.toJson() + "]}");
      assertThatThrownBy(cursor::next).isInstanceOf(MongoException.class);
    }
  }

  @Test
  void sessionsAreKilledByPattern() {
    try (ClientSession session = client.startSession();
        MongoCursor<Document> cursor = collection().find(session).batchSize(2).iterator()) {
      cursor.next();
      cursor.next();
      run("{killAllSessionsByPattern: [{users: [{user: 'u', db: 'd'}]}]}");
      assertThat(cursor.next()).isNotNull();
      cursor.next();
      BsonDocument id = session.getServerSession().getIdentifier();
      run("{killAllSessionsByPattern: [{lsid: " + id.toJson() + "}]}");
      assertThatThrownBy(cursor::next).isInstanceOf(MongoException.class);
    }
  }

  @Test
  void aSessionThatWasUsedIsListed() {
    try (ClientSession session = client.startSession()) {
      collection().find(session).first();
      Document id = Document.parse(session.getServerSession().getIdentifier().toJson());
      List<Document> listed =
          client
              .getDatabase("admin")
              .aggregate(List.of(Document.parse("{$listLocalSessions: {}}")))
              .into(new ArrayList<>());
      assertThat(listed)
          .extracting(each -> each.get("_id", Document.class).get("id"))
          .contains(id.get("id"));
    }
  }

  @Test
  void everyWriteMovesTheClusterTimeOn() {
    try (ClientSession session = client.startSession()) {
      BsonTimestamp last = null;
      for (int i = 0; i < 5; i++) {
        collection().updateOne(session, new Document("_id", 1), Document.parse("{$inc: {n: 1}}"));
        BsonTimestamp time = session.getOperationTime();
        assertThat(last == null || time.compareTo(last) > 0).isTrue();
        last = time;
        assertThat(collection().find(session, new Document("_id", 1)).first()).isNotNull();
      }
    }
  }

  @Test
  void readConcernsThatCannotBeAreRefused() {
    for (String concern :
        List.of(
            "level: 'available', afterClusterTime: {$timestamp: {t: 1, i: 1}}",
            "level: 'local', atClusterTime: {$timestamp: {t: 1, i: 1}}",
            "afterClusterTime: {$timestamp: {t: 4000000000, i: 1}}")) {
      assertThatThrownBy(
              () ->
                  client
                      .getDatabase("test")
                      .runCommand(Document.parse("{find: 'c', readConcern: {" + concern + "}}")))
          .as(concern)
          .hasMessageContaining("InvalidOptions");
    }
  }
}
