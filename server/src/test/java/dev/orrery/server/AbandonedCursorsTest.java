package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What cursors have on disk goes with their clients. */
@Timeout(90)
class AbandonedCursorsTest {
  private static final BsonDocument SORTED =
      BsonDocument.parse("{find: 'c', sort: {r: 1}, batchSize: 2}");

  @TempDir private Path directory;
  private TestServer server;
  private MongoClient owner;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start("--data=" + directory.resolve("data"), "--limit=memory=8MB");
    owner = server.client("", "appName=owner");
    MongoCollection<Document> collection = owner.getDatabase("test").getCollection("c");
    for (int from = 0; from < 6_000; from += 500) {
      var batch = new ArrayList<Document>();
      for (int i = from; i < from + 500; i++) {
        batch.add(new Document("r", i * 7919 % 6_000).append("t", "t".repeat(2_000)));
      }
      collection.insertMany(batch);
    }
  }

  @AfterEach
  void stop() {
    owner.close();
    server.close();
  }

  private List<Path> files() throws IOException {
    Path temporary = directory.resolve("data").resolve("tmp");
    if (!Files.exists(temporary)) {
      return List.of();
    }
    try (var files = Files.list(temporary)) {
      return files.toList();
    }
  }

  private void requireNoFilesSoon() throws Exception {
    for (int i = 0; i < 400 && !files().isEmpty(); i++) {
      Thread.sleep(50); // five seconds are enough on a machine that does nothing else
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void theRunsOfASortGoWhenTheConnectionCloses() throws Exception {
    try (var connection = new RawConnection(server.port(), "127.0.0.1")) {
      assertThat(connection.ask(SORTED).getDouble("ok").getValue()).isOne();
      assertThat(files()).isNotEmpty();
    }
    requireNoFilesSoon();
    for (int i = 0; i < 100 && server.memory().usedBytes() > 0; i++) {
      Thread.sleep(50);
    }
    assertThat(server.memory().usedBytes()).isZero();
  }

  @Test
  void theyGoAlsoWhenADriverForgetsItsSession() throws Exception {
    try (MongoClient client = server.client("", "appName=forgetful")) {
      for (int i = 0; i < 3; i++) {
        client
            .getDatabase("test")
            .getCollection("c")
            .find()
            .sort(new Document("r", 1))
            .batchSize(2)
            .cursor()
            .next();
      }
      assertThat(files()).isNotEmpty();
    }
    requireNoFilesSoon();
  }

  @Test
  void aCursorLivesOnWhileItsClientHasAnyConnection() throws Exception {
    MongoCursor<Document> cursor =
        owner
            .getDatabase("test")
            .getCollection("c")
            .find()
            .sort(new Document("r", 1))
            .batchSize(2)
            .cursor();
    cursor.next();
    for (int i = 0; i < 4; i++) { // others come and go
      new RawConnection(server.port(), "127.0.0.1").close();
      server.client("", "appName=other").close();
      Thread.sleep(500);
    }
    int count = 1;
    for (; cursor.hasNext(); cursor.next()) {
      count++;
    }
    assertThat(count).isEqualTo(6_000);
    requireNoFilesSoon();
  }
}
