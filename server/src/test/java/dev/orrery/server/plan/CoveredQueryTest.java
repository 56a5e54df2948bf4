package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.Projection;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What MongoDB answers from an index alone. */
class CoveredQueryTest {
  @TempDir Path directory;
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, null, 1);
    fixture.index("a_1_b_1", "{a: 1, b: 1}", "{}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Query query(String filter, String projection) {
    Query query = fixture.query(filter);
    Projection parsed =
        Projection.parse(
            BsonDocument.parse(projection), query.criteria().filter(), FilterContext.DEFAULT);
    return query.with(new Query.Output(parsed, PlanFixture.raw(projection), false, false));
  }

  private List<String> json(Query query) {
    return fixture.run(query).stream().map(one -> one.toBsonDocument().toJson()).toList();
  }

  private List<String> stages(Query query) {
    return PlanFixture.stages(fixture.plan(query));
  }

  private static final List<String> COVERED = List.of("PROJECTION_COVERED", "IXSCAN");

  @Test
  void noDocumentIsReadForFieldsOfTheIndex() {
    fixture.insert("{_id: 1, a: 1, b: 'x'}", "{_id: 2, a: 1, b: 2.5}", "{_id: 3, a: 2, b: 7}");
    Query query = query("{a: 1}", "{b: 1, a: 1, _id: 0}");
    assertThat(stages(query)).isEqualTo(COVERED);
    BsonDocument statistics = fixture.statistics(query);
    assertThat(statistics.getInt32("totalDocsExamined").getValue()).isZero();
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isEqualTo(2);
    assertThat(json(query)).containsExactly("{\"a\": 1, \"b\": 2.5}", "{\"a\": 1, \"b\": \"x\"}");
  }

  @Test
  void fieldsComeInTheOrderOfTheIndex() {
    fixture.index("b_1__id_1", "{b: 1, _id: 1}", "{}");
    fixture.insert("{_id: 1, a: 1, b: 2}");
    Query query = query("{b: 2}", "{b: 1}");
    assertThat(stages(query)).isEqualTo(COVERED);
    assertThat(json(query)).containsExactly("{\"b\": 2, \"_id\": 1}");
  }

  @Test
  void theIdMakesTheDifferenceUnlessItIsExcluded() {
    fixture.insert("{_id: 1, a: 1}");
    assertThat(stages(query("{a: 1}", "{a: 1}")))
        .containsExactly("PROJECTION_SIMPLE", "FETCH", "IXSCAN");
  }

  @Test
  void anIdIndexCoversItself() {
    fixture.insert("{_id: 1, a: 1}", "{_id: 2, a: 1}");
    Query query = query("{_id: {$gt: 1}}", "{_id: 1}");
    assertThat(stages(query)).isEqualTo(COVERED);
    assertThat(json(query)).containsExactly("{\"_id\": 2}");
  }

  @Test
  void aMissingFieldIsNullAsInMongoDb() {
    fixture.insert("{_id: 1, a: 1}");
    assertThat(json(query("{a: 1}", "{a: 1, b: 1, _id: 0}")))
        .containsExactly("{\"a\": 1, \"b\": null}");
  }

  @Test
  void typesOfNumbersAreKept() {
    fixture.index("l_1", "{l: 1}", "{}");
    fixture.index("d_1", "{d: 1}", "{}");
    fixture.insert(
        "{_id: 1, l: {$numberLong: '5'}, d: 3.0}",
        "{_id: 2, l: {$numberLong: '5000000000'}, d: 0.5}");
    Query longs = query("{l: {$gt: 0}}", "{l: 1, _id: 0}");
    Query doubles = query("{d: {$gt: 0}}", "{d: 1, _id: 0}");
    assertThat(stages(longs)).isEqualTo(COVERED);
    assertThat(stages(doubles)).isEqualTo(COVERED);
    assertThat(json(longs)).containsExactly("{\"l\": 5}", "{\"l\": 5000000000}");
    assertThat(fixture.run(longs).get(0).field("l").type()).isEqualTo(RawTypes.INT64);
    assertThat(json(doubles)).containsExactly("{\"d\": 0.5}", "{\"d\": 3.0}");
  }

  @Test
  void mixedTypesOfNumbersAreReadFromTheDocuments() {
    fixture.insert("{_id: 1, a: 1, b: 1}", "{_id: 2, a: 1, b: 2.0}");
    Query query = query("{a: 1}", "{a: 1, b: 1, _id: 0}");
    assertThat(stages(query)).containsExactly("PROJECTION_SIMPLE", "FETCH", "IXSCAN");
    assertThat(json(query)).containsExactly("{\"a\": 1, \"b\": 1}", "{\"a\": 1, \"b\": 2.0}");
    assertThat(stages(query("{a: 1}", "{a: 1, _id: 0}"))).isEqualTo(COVERED);
  }

  @Test
  void typesThatMixDuringAScanAreReadFromTheDocuments() {
    fixture.insert("{_id: 1, a: 1, b: 1}", "{_id: 2, a: 1, b: 2}");
    var plan = new Planner().plan(query("{a: 1}", "{b: 1, _id: 0}"));
    try (var cursor = plan.open(fixture.execution())) {
      assertThat(cursor.next().document()).isEqualTo(PlanFixture.raw("{b: 1}"));
      fixture.insert("{_id: 3, a: 1, b: 2.0}");
      for (int i = 0; i < 300; i++) {
        fixture.insert("{_id: " + (i + 10) + ", a: 1, b: 3.0}");
      }
      assertThat(cursor.next().document()).isEqualTo(PlanFixture.raw("{b: 2}"));
      for (var one = cursor.next(); one != null; one = cursor.next()) {
        assertThat(one.document().field("b").type()).isEqualTo(RawTypes.DOUBLE);
      }
    }
  }

  @Test
  void arraysAreNeverCoveredButTheirNeighboursAre() {
    fixture.insert("{_id: 1, a: 1, b: [1, 2]}");
    assertThat(stages(query("{a: 1}", "{b: 1, _id: 0}"))).contains("FETCH");
    Query query = query("{a: 1}", "{a: 1, _id: 0}");
    assertThat(stages(query)).isEqualTo(COVERED);
    assertThat(json(query)).containsExactly("{\"a\": 1}");
  }

  @Test
  void dottedPathsAreBuiltAnew() {
    fixture.index("s", "{'s.x': 1, 's.y': -1}", "{}");
    fixture.insert("{_id: 1, s: {y: 2, x: 1, z: 3}}");
    Query query = query("{'s.x': 1}", "{'s.x': 1, 's.y': 1, _id: 0}");
    assertThat(stages(query)).containsExactly("PROJECTION_DEFAULT", "IXSCAN");
    assertThat(json(query)).containsExactly("{\"s\": {\"x\": 1, \"y\": 2}}");
  }

  @Test
  void whatTheBoundsDoNotSayIsReadFromTheDocument() {
    fixture.insert("{_id: 1, a: 1}", "{_id: 2, a: null}", "{_id: 3}");
    assertThat(stages(query("{a: null}", "{a: 1, _id: 0}"))).contains("FETCH");
    assertThat(stages(query("{a: 1, c: 1}", "{a: 1, _id: 0}"))).contains("FETCH");
  }

  @Test
  void textUnderACollationIsReadFromTheDocument() {
    fixture.index("t", "{t: 1}", "{collation: {locale: 'en', strength: 2}}");
    fixture.insert("{_id: 1, t: 'X'}");
    Query query = query("{t: {$gt: 1}}", "{t: 1, _id: 0}");
    assertThat(stages(query)).contains("FETCH");
  }

  @Test
  void sortsReadKeysToo() {
    fixture.insert("{_id: 1, a: 1, b: 2}", "{_id: 2, a: 2, b: 1}");
    Query query = query("{a: {$gt: 0}}", "{a: 1, b: 1, _id: 0}").with(PlanFixture.order("{b: 1}"));
    assertThat(stages(query)).containsExactly("PROJECTION_COVERED", "SORT", "IXSCAN");
    assertThat(json(query)).containsExactly("{\"a\": 2, \"b\": 1}", "{\"a\": 1, \"b\": 2}");
  }

  @Test
  void partitionsMergeKeys(@TempDir Path other) {
    try (var parts = new PlanFixture(other, "k", 3)) {
      fixture.close();
      fixture = parts;
      parts.index("a", "{a: 1}", "{}");
      for (int i = 0; i < 30; i++) {
        parts.insert("{_id: " + i + ", k: " + i + ", a: " + (100 - i) + "}");
      }
      Query query = query("{a: {$gte: 90}}", "{a: 1, _id: 0}").with(PlanFixture.order("{a: 1}"));
      List<RawDocument> found = parts.run(query);
      assertThat(found)
          .hasSize(11)
          .isSortedAccordingTo((l, r) -> l.field("a").asInt32() - r.field("a").asInt32());
      assertThat(parts.statistics(query).getInt32("totalDocsExamined").getValue()).isZero();
      fixture = new PlanFixture(other.resolve("again"), null, 1);
    }
  }
}
