package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the query of a pipeline reads; that it gives the same as a scan is a property. */
class PipelinePlansTest {
  private CosmosFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = CosmosFixture.extended(directory);
    var documents = new ArrayList<String>();
    for (int i = 0; i < 60; i++) {
      documents.add(
          "{_id: %d, g: %d, x: %d, s: 'text'}".formatted(i, i % 5, (i * 7) % 60).toString());
    }
    data.run("{insert: 'c', documents: [" + String.join(", ", documents) + "], $db: 'db'}");
    data.run("{createIndexes: 'c', indexes: [{key: {g: 1, x: 1}, name: 'g_x'}], $db: 'db'}");
  }

  @AfterEach
  void close() {
    data.close();
  }

  private BsonDocument explain(String pipeline) {
    BsonDocument reply =
        data.run(
            "{explain: {aggregate: 'c', pipeline: "
                + pipeline
                + ", cursor: {}}, verbosity: 'executionStats', $db: 'db'}");
    return reply.containsKey("stages")
        ? reply.getArray("stages").get(0).asDocument().getDocument("$cursor")
        : reply;
  }

  private List<String> stages(String pipeline) {
    var names = new ArrayList<String>();
    BsonDocument stage = explain(pipeline).getDocument("queryPlanner").getDocument("winningPlan");
    while (stage != null) {
      names.add(stage.getString("stage").getValue());
      stage = stage.containsKey("inputStage") ? stage.getDocument("inputStage") : null;
    }
    return names;
  }

  private int examined(String pipeline, String what) {
    return explain(pipeline).getDocument("executionStats").getInt32("total" + what).getValue();
  }

  private BsonArray results(String pipeline) {
    return data.run("{aggregate: 'c', pipeline: " + pipeline + ", cursor: {}, $db: 'db'}")
        .getDocument("cursor")
        .getArray("firstBatch");
  }

  @Test
  void aGroupThatAnIndexAnswersReadsNoDocument() {
    String pipeline =
        "[{$match: {g: {$gte: 3}}}, {$group: {_id: '$g', x: {$sum: '$x'}}}, {$sort: {_id: 1}}]";
    assertThat(stages(pipeline)).containsExactly("PROJECTION_COVERED", "IXSCAN");
    assertThat(examined(pipeline, "DocsExamined")).isZero();
    assertThat(results(pipeline))
        .isEqualTo(BsonArray.parse("[{_id: 3, x: 342}, {_id: 4, x: 366}]"));
  }

  @Test
  void aCountReadsNoDocument() {
    String pipeline = "[{$match: {g: {$gt: 2}}}, {$count: 'n'}]";
    assertThat(examined(pipeline, "DocsExamined")).isZero();
    assertThat(results(pipeline)).isEqualTo(BsonArray.parse("[{n: 24}]"));
  }

  @Test
  void whatMayBeMissingIsFetched() {
    data.run("{insert: 'c', documents: [{_id: 90, g: 9, x: null}, {_id: 91, g: 9}], $db: 'db'}");
    String pipeline =
        "[{$match: {g: {$gte: 4}}}, {$group: {_id: {$type: '$x'}, n: {$sum: 1}}},"
            + " {$sort: {_id: 1}}]";
    assertThat(examined(pipeline, "DocsExamined")).isEqualTo(2);
    assertThat(results(pipeline))
        .isEqualTo(
            BsonArray.parse("[{_id: 'int', n: 12}, {_id: 'missing', n: 1}, {_id: 'null', n: 1}]"));
  }

  @Test
  void whatTheIndexLacksIsFetched() {
    assertThat(stages("[{$match: {g: {$gte: 3}}}, {$group: {_id: '$g', s: {$max: '$s'}}}]"))
        .containsExactly("FETCH", "IXSCAN");
    assertThat(stages("[{$match: {g: {$gte: 3}}}, {$project: {g: 0}}]"))
        .containsExactly("FETCH", "IXSCAN");
  }

  @Test
  void theFirstOfEachGroupIsFoundByASeek() {
    String pipeline =
        "[{$sort: {g: 1, x: 1}}, {$group: {_id: '$g', x: {$first: '$x'}}}, {$sort: {_id: 1}}]";
    assertThat(stages(pipeline)).containsExactly("PROJECTION_COVERED", "DISTINCT_SCAN");
    assertThat(examined(pipeline, "KeysExamined")).isEqualTo(5);
    assertThat(results(pipeline))
        .isEqualTo(
            BsonArray.parse(
                "[{_id: 0, x: 0}, {_id: 1, x: 2}, {_id: 2, x: 4}, {_id: 3, x: 1}, {_id: 4, x: 3}]"));
  }

  @Test
  void theLastOfEachGroupIsFoundBackwards() {
    String pipeline =
        "[{$match: {s: 'text'}}, {$sort: {g: 1, x: 1}},"
            + " {$group: {_id: '$g', x: {$last: '$x'}, s: {$last: '$s'}}}, {$sort: {_id: 1}},"
            + " {$limit: 2}]";
    assertThat(stages(pipeline)).containsExactly("FETCH", "DISTINCT_SCAN");
    // Five where documents are fetched one at a time; an engine may fetch some more ahead.
    assertThat(examined(pipeline, "DocsExamined")).isBetween(5, 40);
    assertThat(results(pipeline))
        .isEqualTo(BsonArray.parse("[{_id: 0, x: 55, s: 'text'}, {_id: 1, x: 57, s: 'text'}]"));
  }

  @Test
  void theFirstThatMatchesIsTaken() {
    data.run("{update: 'c', updates: [{q: {_id: 0}, u: {$set: {s: 'other'}}}], $db: 'db'}");
    String pipeline =
        "[{$match: {s: 'text', g: 0}}, {$sort: {g: 1, x: 1}},"
            + " {$group: {_id: '$g', x: {$first: '$x'}}}]";
    assertThat(stages(pipeline)).containsExactly("FETCH", "DISTINCT_SCAN");
    assertThat(results(pipeline)).isEqualTo(BsonArray.parse("[{_id: 0, x: 5}]"));
  }

  @Test
  void otherGroupsReadAllDocuments() {
    for (String group :
        List.of(
            "{_id: '$g', x: {$first: '$s'}, y: {$last: '$s'}}",
            "{_id: '$g', x: {$max: '$s'}}",
            "{_id: {$abs: '$g'}, x: {$first: '$s'}}",
            "{_id: '$x', x: {$first: '$s'}}")) {
      assertThat(stages("[{$sort: {g: 1, x: 1}}, {$group: " + group + "}]"))
          .as(group)
          .containsExactly("FETCH", "IXSCAN");
    }
    data.run("{insert: 'c', documents: [{_id: 99, g: [1, 2]}], $db: 'db'}");
    assertThat(stages("[{$sort: {g: 1, x: 1}}, {$group: {_id: '$g', x: {$first: '$s'}}}]"))
        .doesNotContain("DISTINCT_SCAN");
  }

  @Test
  void whatIsSkippedIsNotFetched() {
    String pipeline = "[{$sort: {g: 1, x: 1}}, {$skip: 50}, {$limit: 3}, {$project: {s: 1}}]";
    assertThat(stages(pipeline)).containsExactly("LIMIT", "FETCH", "SKIP", "IXSCAN");
    assertThat(examined(pipeline, "DocsExamined")).isEqualTo(3);
    assertThat(results(pipeline)).hasSize(3);
    String filtered = "[{$match: {s: 'text'}}, {$sort: {g: 1, x: 1}}, {$skip: 50}, {$limit: 3}]";
    assertThat(stages(filtered)).containsExactly("LIMIT", "SKIP", "FETCH", "IXSCAN");
  }
}
