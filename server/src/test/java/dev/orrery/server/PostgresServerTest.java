package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoWriteException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.gridfs.GridFSBuckets;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import dev.orrery.storage.postgres.TestPostgres;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that share a PostgreSQL, as drivers see them. */
final class PostgresServerTest {
  private final String schema = TestPostgres.freshSchema();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private static ConfigSources sources(String schema) {
    TestPostgres postgres = TestPostgres.running();
    String store =
        "postgresql://%s@127.0.0.1:%d/postgres?schema=%s"
            .formatted(postgres.user(), postgres.port(), schema);
    return new ConfigSources()
        .with(ConfigKey.PORT, "--port", "0")
        .with(ConfigKey.CONSOLE_PORT, "--console-port", "off")
        .with(ConfigKey.STORE, "--store", store)
        .withEnvironment(Map.of("ORRERY_STORE_PASSWORD", postgres.password()));
  }

  private MongoServer server() throws IOException {
    ServerConfig config = ServerConfig.parse(sources(schema));
    var server =
        MongoServer.start(config, (settings, data) -> EngineBackend.open(settings, data, () -> {}));
    open.add(server);
    return server;
  }

  private MongoDatabase database(MongoServer server) {
    String uri =
        "mongodb://127.0.0.1:%d/?directConnection=true".formatted(server.address().getPort());
    MongoClient client = MongoClients.create(uri);
    open.add(client);
    return client.getDatabase("db");
  }

  private static List<Integer> ids(Iterable<Document> documents) {
    var ids = new ArrayList<Integer>();
    documents.forEach(one -> ids.add(one.getInteger("_id")));
    return ids;
  }

  @Test
  void aDriverFindsWhatItWroteAlsoAfterARestart() throws Exception {
    MongoServer first = server();
    MongoCollection<Document> things = database(first).getCollection("things");
    things.createIndex(Indexes.ascending("n"), new IndexOptions().unique(true));
    things.insertMany(
        IntStream.range(0, 500)
            .mapToObj(i -> new Document("_id", i).append("n", -i).append("t", List.of(i, i + 1)))
            .toList());
    things.createIndex(Indexes.ascending("t"));
    assertThatThrownBy(() -> things.insertOne(new Document("_id", 1000).append("n", -7)))
        .isInstanceOf(MongoWriteException.class)
        .hasMessageContaining("E11000");
    things.updateMany(Filters.lt("n", -490), Updates.inc("x", 1));
    things.deleteMany(Filters.gt("n", -10));
    first.close();

    MongoCollection<Document> again = database(server()).getCollection("things");
    assertThat(again.countDocuments()).isEqualTo(490);
    assertThat(ids(again.find(Filters.lt("n", -495)).sort(Indexes.ascending("n"))))
        .containsExactly(499, 498, 497, 496);
    assertThat(ids(again.find(Filters.eq("t", 100)).sort(Indexes.ascending("_id"))))
        .containsExactly(99, 100);
    assertThat(again.countDocuments(Filters.eq("x", 1))).isEqualTo(9);
  }

  @Test
  void serversShareCollectionsTransactionsAndStreams() throws Exception {
    MongoDatabase one = database(server());
    MongoDatabase other = database(server());
    one.createCollection("things");
    MongoCollection<Document> things = one.getCollection("things");
    things.insertOne(new Document("_id", 1).append("n", 1));
    while (other.getCollection("things").countDocuments() == 0) {
      Thread.sleep(20); // until the other server has looked
    }
    try (var stream = other.getCollection("things").watch().cursor()) {
      var client = (MongoClient) open.get(1);
      try (ClientSession session = client.startSession()) {
        session.withTransaction(
            () -> {
              things.insertOne(session, new Document("_id", 2));
              things.updateOne(session, Filters.eq("_id", 1), Updates.set("n", 5));
              return null;
            });
      }
      ChangeStreamDocument<Document> insert = stream.next();
      ChangeStreamDocument<Document> update = stream.next();
      assertThat(List.of(insert.getDocumentKey(), update.getDocumentKey()))
          .containsExactlyInAnyOrder(
              BsonDocument.parse("{_id: 1}"), BsonDocument.parse("{_id: 2}"));
    }
    assertThat(other.getCollection("things").find(Filters.eq("_id", 1)).first())
        .isEqualTo(new Document("_id", 1).append("n", 5));
  }

  @Test
  void filesOfGridFsAreKept() throws Exception {
    MongoDatabase database = database(server());
    byte[] content = new byte[700_000];
    content[650_000] = 7;
    ObjectId id =
        GridFSBuckets.create(database).uploadFromStream("file", new ByteArrayInputStream(content));
    var out = new ByteArrayOutputStream();
    GridFSBuckets.create(database).downloadToStream(id, out);
    assertThat(out.toByteArray()).isEqualTo(content);
  }

  @Test
  void passwordsStayOutOfCommandLinesAndMessages() {
    for (String store :
        List.of("postgresql://u:secret@h/db", "postgresql://u@h/db?password=secret")) {
      assertThatThrownBy(
              () -> ServerConfig.parse(new ConfigSources().with(ConfigKey.STORE, "s", store)))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("ORRERY_STORE_PASSWORD")
          .hasMessageNotContaining("secret");
    }
    assertThat(ServerConfig.parse(sources("x")).toString())
        .doesNotContain(TestPostgres.running().password());
    assertThatThrownBy(
            () -> ServerConfig.parse(new ConfigSources().with(ConfigKey.STORE, "s", "mysql://h")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("postgresql://user@host:port");
  }
}
