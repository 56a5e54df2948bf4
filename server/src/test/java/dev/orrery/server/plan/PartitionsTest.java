package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionsTest {
  @TempDir Path directory;
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, "k", 4);
    for (int i = 0; i < 200; i++) {
      fixture.insert("{_id: " + i + ", k: " + i % 40 + ", v: " + (i * 37) % 200 + "}");
    }
    fixture.insert("{_id: 500}", "{_id: 501, k: null}");
    fixture.index("v_1", "{v: 1}", "{}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private int visited(Query query) {
    var execution = fixture.execution();
    fixture.run(query, execution);
    return execution.partitionsVisited();
  }

  @Test
  void aFixedPartitionKeyTouchesItsPartitionAlone() {
    assertThat(visited(fixture.query("{k: 3, v: {$gt: 0}}"))).isEqualTo(1);
    assertThat(fixture.plan(fixture.query("{k: 3}")).getString("stage").getValue())
        .isEqualTo("SINGLE_SHARD");
    assertThat(fixture.ids(fixture.query("{k: 3}"))).containsExactly(3, 43, 83, 123, 163);
    assertThat(visited(fixture.query("{$or: [{k: 3}, {k: 3, v: 1}]}"))).isEqualTo(1);
  }

  @Test
  void anyOtherFilterAsksAll() {
    assertThat(visited(fixture.query("{v: {$gte: 0}}"))).isEqualTo(4);
    BsonDocument plan = fixture.plan(fixture.query("{v: {$gte: 0}}"));
    assertThat(plan.getString("stage").getValue()).isEqualTo("SHARD_MERGE");
    assertThat(plan.getArray("shards")).hasSize(4);
  }

  @Test
  void nullFindsMissingPartitionKeysToo() {
    assertThat(fixture.ids(fixture.query("{k: null}"))).containsExactlyInAnyOrder(500, 501);
  }

  @Test
  void theWholePrimaryKeyIsRead() {
    Query query = fixture.query("{_id: 43, k: 3}");
    assertThat(new Planner().plan(query).isShort()).isTrue();
    assertThat(fixture.ids(query)).containsExactly(43);
    assertThat(fixture.ids(fixture.query("{_id: {$in: [43, 3, 44]}, k: {$in: [3, 4]}}")))
        .containsExactlyInAnyOrder(3, 43, 44);
  }

  @Test
  void partitionsAreMergedInTheOrderOfTheIndex() {
    Query query =
        fixture
            .query("{v: {$gte: 0}}")
            .with(PlanFixture.order("{v: 1}"))
            .with(new Query.Window(3, 10));
    List<Integer> values =
        fixture.run(query).stream().map(one -> one.field("v").asInt32()).toList();
    assertThat(values).isEqualTo(IntStream.range(3, 13).boxed().toList());
  }

  @Test
  @Tag("embedded") // other engines read by pages, and charge for what is on them
  void anIndexedSortWithALimitReadsTheLimitPerPartitionAtMost() {
    Query query =
        fixture.query("{}").with(PlanFixture.order("{v: -1}")).with(new Query.Window(0, 10));
    BsonDocument statistics = fixture.statistics(query);
    BsonDocument stages = statistics.getDocument("executionStages");
    assertThat(stages.getString("stage").getValue()).isEqualTo("SHARD_MERGE_SORT");
    for (var shard : stages.getArray("shards")) {
      assertThat(shard.asDocument().getInt32("totalKeysExamined").getValue()).isBetween(1, 10);
    }
    assertThat(statistics.getInt32("nReturned").getValue()).isEqualTo(10);
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isLessThanOrEqualTo(14);
  }

  @Test
  void aSortWithoutIndexIsMergedToo() {
    Query query = fixture.query("{v: {$exists: true}}").with(PlanFixture.order("{k: -1, _id: 1}"));
    List<Integer> keys = fixture.run(query).stream().map(one -> one.field("k").asInt32()).toList();
    assertThat(keys).hasSize(200).isSortedAccordingTo((left, right) -> right - left);
  }

  @Test
  void aLimitLeavesLaterPartitionsAlone() {
    assertThat(visited(fixture.query("{}").with(new Query.Window(0, 1)))).isEqualTo(1);
  }
}
