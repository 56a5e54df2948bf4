package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import java.nio.file.Path;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** count and distinct by an index alone. */
class IndexOnlyReadsTest {
  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
    data.create("c", "{}", null, "{v: 2, key: {a: 1, b: 1}, name: 'a_1_b_1'}");
    for (int i = 0; i < 60; i++) {
      data.run("{insert: 'c', documents: [{_id: " + i + ", a: " + i % 3 + ", b: " + i + "}]}");
    }
  }

  @AfterEach
  void close() {
    data.close();
  }

  private BsonDocument stages(String command) {
    return data.run("{explain: " + command + ", verbosity: 'executionStats'}")
        .getDocument("executionStats");
  }

  private static int number(BsonDocument document, String name) {
    return document.getInt32(name).getValue();
  }

  @Test
  void aCountOfOneRangeIsACountScan() {
    String count = "{count: 'c', query: {a: 1}, skip: 2, limit: 10}";
    assertThat(number(data.run(count), "n")).isEqualTo(10);
    BsonDocument statistics = stages(count);
    assertThat(number(statistics, "totalDocsExamined")).isZero();
    BsonDocument counting = statistics.getDocument("executionStages");
    assertThat(counting.getString("stage").getValue()).isEqualTo("COUNT");
    assertThat(number(counting, "nCounted")).isEqualTo(10);
    assertThat(number(counting, "nSkipped")).isEqualTo(2);
    BsonDocument scan = counting.getDocument("inputStage");
    assertThat(scan.getString("stage").getValue()).isEqualTo("COUNT_SCAN");
    assertThat(scan.getDocument("indexBounds"))
        .isEqualTo(
            BsonDocument.parse(
                """
                {startKey: {a: 1, b: {$minKey: 1}}, startKeyInclusive: true,
                 endKey: {a: 1, b: {$maxKey: 1}}, endKeyInclusive: true}
                """));
  }

  @Test
  void aCountOfSeveralRangesIsAnIndexScan() {
    BsonDocument statistics = stages("{count: 'c', query: {a: {$in: [0, 2]}}}");
    assertThat(number(statistics, "totalDocsExamined")).isZero();
    BsonDocument counting = statistics.getDocument("executionStages");
    assertThat(number(counting, "nCounted")).isEqualTo(40);
    assertThat(counting.getDocument("inputStage").getString("stage").getValue())
        .isEqualTo("IXSCAN");
  }

  @Test
  void theBoundsOfACountFollowAnOpenEnd() {
    BsonDocument counting =
        stages("{count: 'c', query: {a: {$gt: 0, $lt: 2}}}").getDocument("executionStages");
    assertThat(counting.getDocument("inputStage").getDocument("indexBounds"))
        .isEqualTo(
            BsonDocument.parse(
                """
                {startKey: {a: 0, b: {$maxKey: 1}}, startKeyInclusive: false,
                 endKey: {a: 2, b: {$minKey: 1}}, endKeyInclusive: false}
                """));
    assertThat(number(counting, "nCounted")).isEqualTo(20);
  }

  private BsonArray distinct(String key, String filter) {
    return data.run("{distinct: 'c', key: '" + key + "', query: " + filter + "}")
        .getArray("values");
  }

  @Test
  void aDistinctReadsOneKeyOfEachValue() {
    assertThat(distinct("a", "{}")).isEqualTo(BsonArray.parse("[0, 1, 2]"));
    BsonDocument statistics = stages("{distinct: 'c', key: 'a'}");
    assertThat(number(statistics, "totalDocsExamined")).isZero();
    assertThat(number(statistics, "totalKeysExamined")).isEqualTo(3);
    BsonDocument projecting = statistics.getDocument("executionStages");
    assertThat(projecting.getString("stage").getValue()).isEqualTo("PROJECTION_COVERED");
    assertThat(projecting.getDocument("inputStage").getString("stage").getValue())
        .isEqualTo("DISTINCT_SCAN");
  }

  @Test
  void aDistinctBehindAnEqualitySkipsToo() {
    data.run("{insert: 'c', documents: [{_id: 'x', a: 1, b: 1}, {_id: 'y', a: 1, b: 4}]}");
    assertThat(distinct("b", "{a: 1, b: {$lt: 8}}")).isEqualTo(BsonArray.parse("[1, 4, 7]"));
    assertThat(
            number(
                stages("{distinct: 'c', key: 'b', query: {a: 1, b: {$lt: 8}}}"),
                "totalKeysExamined"))
        .isEqualTo(3);
  }

  @Test
  void aMissingFieldIsNullInAnIndex() {
    data.run("{insert: 'c', documents: [{_id: 'x'}, {_id: 'y', a: null}]}");
    assertThat(distinct("a", "{}")).isEqualTo(BsonArray.parse("[null, 0, 1, 2]"));
    assertThat(distinct("c", "{}")).isEmpty();
  }

  @Test
  void arraysAreReadFromTheDocuments() {
    data.run("{insert: 'c', documents: [{_id: 'x', a: [7, 8]}, {_id: 'y', a: [9, [1]]}]}");
    assertThat(distinct("a", "{}")).isEqualTo(BsonArray.parse("[0, 1, 2, 7, 8, 9, [1]]"));
    assertThat(distinct("a", "{a: {$gt: 8}}")).isEqualTo(BsonArray.parse("[9, [1]]"));
  }

  @Test
  void whatSharesAKeyWithAnEmptyArrayOrAMissingFieldIsFound() {
    data.create("d", "{}", null, "{v: 2, key: {b: 1}, name: 'b_1'}");
    data.run("{insert: 'd', documents: [{_id: 1, b: []}, {_id: 2, b: {$undefined: true}}]}");
    data.run("{insert: 'd', documents: [{_id: 3}, {_id: 4, b: null}, {_id: 5, b: 7}]}");
    assertThat(data.run("{distinct: 'd', key: 'b'}").getArray("values"))
        .isEqualTo(BsonArray.parse("[{$undefined: true}, null, 7]"));
  }

  @Test
  void withoutAnIndexTheCollectionIsScanned() {
    BsonDocument statistics = stages("{distinct: 'c', key: 'b', query: {c: null}}");
    assertThat(statistics.getDocument("executionStages").getString("stage").getValue())
        .isEqualTo("COLLSCAN");
    assertThat(number(statistics, "totalDocsExamined")).isEqualTo(60);
  }
}
