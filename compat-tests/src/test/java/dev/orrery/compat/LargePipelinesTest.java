package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pipelines whose blocking stages hold more than the heap of 512 MB that the server has. Few
 * documents by default; {@code -Dlarge.documents=5000000} gives the run that docs/benchmarks.md
 * reports.
 */
final class LargePipelinesTest {
  private static final int DOCUMENTS = Integer.getInteger("large.documents", 50_000);
  private static final int GROUPS = Math.max(1, DOCUMENTS / 5);
  private static final int BATCH = 10_000;

  @TempDir private static Path directory;

  private static PackagedServer server;
  private static MongoClient client;
  private static MongoCollection<BsonDocument> collection;

  @BeforeAll
  static void load() {
    server = PackagedServer.on(directory.resolve("data"));
    client = MongoClients.create(server.uri());
    collection = client.getDatabase("large").getCollection("items", BsonDocument.class);
    for (int start = 0; start < DOCUMENTS; start += BATCH) {
      List<BsonDocument> batch = new ArrayList<>();
      for (int i = start; i < Math.min(start + BATCH, DOCUMENTS); i++) {
        batch.add(
            new BsonDocument("_id", new BsonInt32(i))
                .append("k", new BsonInt32((int) (i * 7919L % GROUPS)))
                .append("v", new BsonInt32(i % 1000)));
      }
      collection.insertMany(batch, new InsertManyOptions().ordered(false));
    }
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static int run(String stages, Consumer<BsonDocument> check) {
    long start = System.nanoTime();
    int count = 0;
    List<BsonDocument> pipeline = new ArrayList<>();
    BsonArray.parse(stages).forEach(stage -> pipeline.add(stage.asDocument()));
    for (BsonDocument one : collection.aggregate(pipeline).batchSize(BATCH)) {
      check.accept(one);
      count++;
    }
    System.out.printf(
        "%,d documents, %,d results, %.1f s: %s%n",
        DOCUMENTS, count, (System.nanoTime() - start) / 1e9, stages);
    return count;
  }

  @Test
  void aGroupOfManyKeysFinishes() {
    long[] total = new long[1];
    int groups =
        run(
            "[{$group: {_id: '$k', n: {$sum: 1}, least: {$min: '$_id'}, mean: {$avg: '$v'}}}]",
            one -> total[0] += one.getInt32("n").getValue());
    assertThat(groups).isEqualTo(GROUPS);
    assertThat(total[0]).isEqualTo(DOCUMENTS);
  }

  @Test
  void aSortOfEverythingFinishes() {
    int[] last = {Integer.MIN_VALUE};
    int count =
        run(
            "[{$addFields: {x: {$multiply: ['$k', -1]}}}, {$sort: {x: 1}}]",
            one -> {
              int next = one.getInt32("x").getValue();
              assertThat(next).isGreaterThanOrEqualTo(last[0]);
              last[0] = next;
            });
    assertThat(count).isEqualTo(DOCUMENTS);
  }

  @Test
  void aWindowOverManyPartitionsFinishes() {
    long[] firsts = new long[1];
    int count =
        run(
            "[{$setWindowFields: {partitionBy: '$k', sortBy: {_id: 1}, output: {n:"
                + " {$documentNumber: {}}}}}]",
            one -> firsts[0] += one.getNumber("n").intValue() == 1 ? 1 : 0);
    assertThat(count).isEqualTo(DOCUMENTS);
    assertThat(firsts[0]).isEqualTo(GROUPS);
  }
}
