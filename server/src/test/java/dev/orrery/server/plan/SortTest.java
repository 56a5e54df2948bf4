package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.cursor.SpillDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SortTest {
  private static final int DOCUMENTS = 500;

  @TempDir Path directory;
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, null, 1);
    for (int i = 0; i < DOCUMENTS; i++) {
      fixture.insert("{_id: " + i + ", v: " + (i * 7919) % DOCUMENTS + "}");
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private List<Integer> values(Query query, Execution execution) {
    return fixture.run(query, execution).stream().map(one -> one.field("v").asInt32()).toList();
  }

  @Test
  void whatDoesNotFitIntoMemoryIsSortedOnDisk() throws IOException {
    Path temporary = directory.resolve("runs");
    var execution = new Execution(new SpillDirectory(temporary), true, 10_000);
    Query query = fixture.query("{}").with(PlanFixture.order("{v: 1}"));
    assertThat(values(query, execution)).isEqualTo(IntStream.range(0, DOCUMENTS).boxed().toList());
    try (var files = Files.list(temporary)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void withoutDiskTheSortIsRefused() {
    var execution = new Execution(new SpillDirectory(directory), false, 10_000);
    Query query = fixture.query("{}").with(PlanFixture.order("{v: 1}"));
    assertThatThrownBy(() -> values(query, execution))
        .hasMessage(
            "Executor error during find command :: caused by :: Sort exceeded memory limit of"
                + " 10000 bytes, but did not opt in to external sorting.")
        .extracting(error -> ((CommandException) error).code())
        .isEqualTo(ErrorCode.QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED);
  }

  @Test
  void aLimitKeepsOnlyTheBest() {
    var execution = new Execution(new SpillDirectory(directory), false, 10_000);
    Query query =
        fixture.query("{}").with(PlanFixture.order("{v: -1}")).with(new Query.Window(2, 5));
    assertThat(values(query, execution)).containsExactly(497, 496, 495, 494, 493);
  }

  @Test
  void aLimitThatDoesNotFitIsSortedOnDiskToo() {
    var execution = new Execution(new SpillDirectory(directory.resolve("runs")), true, 10_000);
    Query query =
        fixture.query("{}").with(PlanFixture.order("{v: 1}")).with(new Query.Window(0, 300));
    assertThat(values(query, execution)).isEqualTo(IntStream.range(0, 300).boxed().toList());
  }

  @Test
  void equalKeysKeepTheirOrder() {
    Query query = fixture.query("{}").with(PlanFixture.order("{none: 1}"));
    assertThat(fixture.ids(query)).isEqualTo(IntStream.range(0, DOCUMENTS).boxed().toList());
  }

  @Test
  void fewValuesOfALeadingFieldAreMerged() {
    fixture.index("ab", "{a: 1, b: -1}", "{}");
    for (int i = 0; i < 60; i++) {
      fixture.insert("{_id: " + (1000 + i) + ", a: " + i % 3 + ", b: " + i + "}");
    }
    Query query =
        fixture
            .query("{a: {$in: [0, 2]}, b: {$gte: 0}}")
            .with(PlanFixture.order("{b: 1}"))
            .with(new Query.Window(0, 4));
    BsonDocument statistics = fixture.statistics(query);
    assertThat(PlanFixture.stages(statistics.getDocument("executionStages")))
        .containsExactly("LIMIT", "FETCH", "SORT_MERGE", "IXSCAN");
    assertThat(fixture.ids(query)).containsExactly(1000, 1002, 1003, 1005);
    assertThat(statistics.getInt32("totalDocsExamined").getValue()).isEqualTo(4);
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isLessThan(7);
  }

  @Test
  void aSortByAFieldOfSeveralValuesIsNoMerge() {
    fixture.index("ab", "{a: 1, b: 1}", "{}");
    fixture.insert("{_id: 1001, a: 2, b: 1}", "{_id: 1002, a: 1, b: 2}", "{_id: 1003, a: 1, b: 1}");
    Query query =
        fixture.query("{a: {$in: [1, 2]}, b: {$gt: 0}}").with(PlanFixture.order("{b: 1, a: -1}"));
    assertThat(fixture.ids(query)).containsExactly(1001, 1003, 1002);
  }
}
