package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoCompressor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.UpdateResult;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Java's driver against the packaged server. */
@ExtendWith(ClientTable.class)
final class DriverTest {
  private static final Document PING = new Document("ping", 1);

  @RegisterExtension private static final SharedServer server = new SharedServer();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "?directConnection=true",
        "?replicaSet=globaldb&retrywrites=false&maxIdleTimeMS=120000&appName=@account@"
      })
  @Exercises(
      client = ClientKind.JAVA,
      what = "connect plainly, directly and as Cosmos DB strings say")
  void itConnectsWith(String options) {
    try (MongoClient client = MongoClients.create(server.uri() + options)) {
      Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
      assertThat(hello)
          .containsEntry("setName", "globaldb")
          .containsEntry("isWritablePrimary", true)
          .containsEntry("me", "127.0.0.1:" + server.port());
      assertThat(client.getDatabase("test").runCommand(PING)).containsEntry("ok", 1.0);
      assertThat(client.listDatabaseNames()).doesNotContain("elsewhere");
    }
  }

  @Test
  @Exercises(client = ClientKind.JAVA, what = "CRUD, indexes, aggregation, catalog")
  void itStoresIndexesAndAggregates() {
    try (MongoClient client = MongoClients.create(server.uri())) {
      var things = client.getDatabase("java").getCollection("things");
      things.insertMany(
          IntStream.range(0, 1_000)
              .mapToObj(n -> new Document("_id", n).append("third", n % 3))
              .toList());
      assertThat(things.createIndex(Indexes.descending("third"))).isEqualTo("third_-1");
      assertThat(things.find(Filters.eq("third", 2)).batchSize(100)).hasSize(333);
      assertThat(things.updateMany(Filters.lt("_id", 10), Updates.inc("third", 10)))
          .returns(10L, UpdateResult::getModifiedCount);
      assertThat(things.countDocuments(Filters.gte("third", 10))).isEqualTo(10);
      assertThat(things.distinct("third", Integer.class))
          .containsExactlyInAnyOrder(0, 1, 2, 10, 11, 12);
      var highest =
          List.of(
              Aggregates.group("$third", Accumulators.max("highest", "$_id")),
              Aggregates.sort(Sorts.descending("_id")),
              Aggregates.limit(2));
      assertThat(things.aggregate(highest))
          .containsExactly(
              new Document("_id", 12).append("highest", 8),
              new Document("_id", 11).append("highest", 7));
      assertThat(client.listDatabaseNames()).contains("java");
      assertThat(client.getDatabase("java").listCollectionNames()).containsExactly("things");
      client.getDatabase("java").drop();
      assertThat(client.listDatabaseNames()).doesNotContain("java");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"snappy", "zlib", "zstd"})
  @Exercises(client = ClientKind.JAVA, what = "compression: snappy, zlib, zstd")
  void itCompressesWith(String compressor) {
    List<String> negotiated = Collections.synchronizedList(new ArrayList<>());
    var listener =
        new CommandListener() {
          @Override
          public void commandStarted(CommandStartedEvent event) {
            negotiated.addAll(event.getConnectionDescription().getCompressors());
          }
        };
    var settings =
        MongoClientSettings.builder()
            .applyConnectionString(new ConnectionString(server.uri()))
            .compressorList(List.of(compressor(compressor)))
            .addCommandListener(listener)
            .build();
    Document ping = new Document(PING).append("comment", "long ".repeat(100_000));
    try (MongoClient client = MongoClients.create(settings)) {
      assertThat(client.getDatabase("test").runCommand(ping)).containsEntry("ok", 1.0);
    }
    assertThat(negotiated).contains(compressor).allMatch(compressor::equals);
  }

  private static MongoCompressor compressor(String name) {
    if (name.equals("snappy")) {
      return MongoCompressor.createSnappyCompressor();
    }
    return name.equals("zlib")
        ? MongoCompressor.createZlibCompressor()
        : MongoCompressor.createZstdCompressor();
  }

  @Test
  @Exercises(client = ClientKind.JAVA, what = "errors on an open connection")
  void anUnknownCommandFailsAndTheConnectionStaysOpen() {
    try (MongoClient client = MongoClients.create(server.uri() + "?maxPoolSize=1")) {
      var database = client.getDatabase("test");
      long created = connectionsCreated(client);
      assertThatThrownBy(() -> database.runCommand(new Document("noSuchThing", 1)))
          .isInstanceOfSatisfying(
              MongoCommandException.class,
              e -> {
                assertThat(e.getErrorCode()).isEqualTo(59);
                assertThat(e.getErrorCodeName()).isEqualTo("CommandNotFound");
                assertThat(e.getErrorMessage()).isEqualTo("no such command: 'noSuchThing'");
              });
      assertThat(connectionsCreated(client)).isEqualTo(created);
    }
  }

  private static long connectionsCreated(MongoClient client) {
    Document status = client.getDatabase("admin").runCommand(new Document("serverStatus", 1));
    return status.get("connections", Document.class).getInteger("totalCreated");
  }
}
