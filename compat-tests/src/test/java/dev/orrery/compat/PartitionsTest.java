package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Partitions and throughput of the packaged server, seen by the driver, over kills and restarts.
 */
final class PartitionsTest {
  private static final Pattern RETRY = Pattern.compile("RetryAfterMs=(\\d+)");
  private static final int DOCUMENTS = 2_000;

  @TempDir private Path directory;

  private static Document run(MongoDatabase database, String command) {
    return database.runCommand(Document.parse(command));
  }

  /** Everything that must be the same after a restart. */
  private static List<Document> settings(MongoClient client) {
    MongoDatabase database = client.getDatabase("shop");
    return List.of(
        run(database, "{listPartitions: 'orders'}"),
        run(database, "{customAction: 'GetCollection', collection: 'orders', showIndexes: true}"),
        run(client.getDatabase("shared"), "{customAction: 'GetDatabase'}"),
        new Document("chunks", chunks(client)));
  }

  private static List<Document> chunks(MongoClient client) {
    return client.getDatabase("config").getCollection("chunks").find().into(new ArrayList<>());
  }

  @Test
  void mapsThroughputAndHistorySurviveKills() {
    List<Document> before;
    try (var server = PackagedServer.on(directory);
        MongoClient client = MongoClients.create(server.uri())) {
      prepare(client);
      before = settings(client);
      server.kill();
    }
    for (int restart = 0; restart < 2; restart++) {
      try (var server = PackagedServer.on(directory);
          MongoClient client = MongoClients.create(server.uri())) {
        assertThat(without(settings(client))).isEqualTo(without(before));
        assertThat(client.getDatabase("shop").getCollection("orders").countDocuments())
            .isEqualTo(DOCUMENTS);
        server.kill();
      }
    }
  }

  /** The cluster time of an answer is another one each time. */
  private static List<Document> without(List<Document> answers) {
    return answers.stream()
        .map(
            answer -> {
              var same = new Document(answer);
              same.keySet().removeAll(List.of("$clusterTime", "operationTime"));
              return same;
            })
        .toList();
  }

  private static void prepare(MongoClient client) {
    MongoDatabase database = client.getDatabase("shop");
    run(client.getDatabase("shared"), "{customAction: 'CreateDatabase', offerThroughput: 1200}");
    run(
        database,
        "{customAction: 'CreateCollection', collection: 'orders', shardKey: 'customer',"
            + " offerThroughput: 20000, indexes: [{key: {_id: 1}, name: '_id_'},"
            + " {key: {number: 1}, name: 'number', unique: true}]}");
    var orders = database.getCollection("orders");
    for (int i = 0; i < DOCUMENTS; i++) {
      orders.insertOne(new Document("customer", "c" + i % 300).append("number", i));
    }
    run(database, "{splitPartition: 'orders', partition: 0}");
    run(database, "{setPartitionThroughput: 'orders', partitions: [{id: 2, throughput: 3000}]}");
    run(database, "{splitPartition: 'orders', partition: 2}");
    run(database, "{mergePartitions: 'orders', partitions: [5, 3]}");
  }

  @Test
  void aClientThatWaitsAndTriesAgainLosesNothingAndSpendsWhatThereIs() throws Exception {
    try (var server = PackagedServer.ephemeral("--profile", "cosmos");
        MongoClient client = MongoClients.create(server.uri() + "?retryWrites=false")) {
      MongoDatabase database = client.getDatabase("shop");
      database.createCollection("a");
      long start = System.nanoTime();
      int refused = 0;
      int id = 0;
      while (System.nanoTime() - start < 3_000_000_000L) {
        try {
          database.getCollection("a").insertOne(new Document("_id", id));
          id++;
        } catch (MongoWriteException | MongoBulkWriteException e) {
          refused++;
          Matcher wait = RETRY.matcher(e.getMessage());
          assertThat(wait.find()).as(e.getMessage()).isTrue();
          Thread.sleep(Long.parseLong(wait.group(1)));
        }
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      double spent = run(database, "{ruStatistics: 'a'}").getDouble("requestCharge");
      assertThat(spent).isLessThan(400 * (seconds + 1) * 1.05);
      assertThat(spent).isGreaterThan(id * 4.95);
      assertThat(refused == 0 || spent > 400).isTrue();
      Thread.sleep(1_000);
      assertThat(database.getCollection("a").estimatedDocumentCount()).isEqualTo(id);
    }
  }
}
