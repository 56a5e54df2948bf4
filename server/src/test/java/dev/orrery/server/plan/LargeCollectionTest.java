package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.store.TestEngines;
import dev.orrery.storage.WriteOperation;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a plan reads does not grow with the collection. {@code -Dorrery.large=1000000} runs it on a
 * million documents; the answers are the same.
 */
class LargeCollectionTest {
  private static final int DOCUMENTS = Integer.getInteger("orrery.large", 50_000);
  private static final int BATCH = 1_000;
  private static final int PER_VALUE = 10;

  private static void fill(PlanFixture fixture) {
    var batch = new ArrayList<WriteOperation>();
    for (int i = 0; i < DOCUMENTS; i++) {
      var document =
          new BsonDocument("_id", new BsonInt32(i))
              .append("k", new BsonInt32(i))
              .append("a", new BsonInt32(i / PER_VALUE))
              .append("b", new BsonInt32((int) ((long) i * 7919 % DOCUMENTS)));
      batch.add(new WriteOperation.Insert(fixture.collection, RawDocument.of(document)));
      if (batch.size() == BATCH || i == DOCUMENTS - 1) {
        TestEngines.commit(fixture.engine, batch);
        batch.clear();
      }
    }
    fixture.index("a", "{a: 1}", "{}");
    fixture.index("b", "{b: 1}", "{}");
  }

  private static int number(BsonDocument statistics, String name) {
    return statistics.getInt32(name).getValue();
  }

  @Test
  void aFindByAnIndexReadsOnlyWhatMatches(@TempDir Path directory) {
    try (var fixture = new PlanFixture(directory, null, 1)) {
      fill(fixture);
      BsonDocument found = fixture.statistics(fixture.query("{a: 1234}"));
      assertThat(number(found, "nReturned")).isEqualTo(PER_VALUE);
      assertThat(number(found, "totalDocsExamined")).isEqualTo(PER_VALUE);
      assertThat(number(found, "totalKeysExamined")).isEqualTo(PER_VALUE);
      BsonDocument range = fixture.statistics(fixture.query("{b: {$gte: 100, $lt: 150}}"));
      assertThat(number(range, "nReturned")).isEqualTo(50);
      assertThat(number(range, "totalDocsExamined")).isEqualTo(50);
      Query sorted =
          fixture.query("{}").with(PlanFixture.order("{b: -1}")).with(new Query.Window(0, 10));
      BsonDocument top = fixture.statistics(sorted);
      assertThat(number(top, "nReturned")).isEqualTo(10);
      assertThat(number(top, "totalKeysExamined")).isEqualTo(10);
      assertThat(number(top, "totalDocsExamined")).isEqualTo(10);
    }
  }

  @Test
  void everyPartitionReadsNoMoreThanTheLimit(@TempDir Path directory) {
    try (var fixture = new PlanFixture(directory, "k", 4)) {
      fill(fixture);
      Query sorted =
          fixture.query("{}").with(PlanFixture.order("{b: 1}")).with(new Query.Window(0, 10));
      BsonDocument top = fixture.statistics(sorted);
      List<BsonDocument> shards =
          top.getDocument("executionStages").getArray("shards").stream()
              .map(one -> one.asDocument())
              .toList();
      assertThat(shards).hasSize(4);
      assertThat(shards)
          .allSatisfy(one -> assertThat(number(one, "totalKeysExamined")).isBetween(1, 10));
      assertThat(fixture.run(sorted).stream().map(one -> one.field("b").asInt32()).toList())
          .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
      BsonDocument one = fixture.statistics(fixture.query("{k: 77}"));
      assertThat(one.getDocument("executionStages").getArray("shards")).hasSize(1);
    }
  }
}
