package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.Projection;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WildcardIndexTest {
  private PlanFixture fixture;

  @BeforeEach
  void open(@TempDir Path directory) {
    fixture = new PlanFixture(directory, null, 1);
    fixture.insert(
        "{_id: 1, a: 6, b: 1, w: {x: 1, y: 2}}",
        "{_id: 2, a: 6, b: 2}",
        "{_id: 3, a: 6, b: 1, w: {x: [1, 2, 3]}}",
        "{_id: 4, a: 7, b: 1, w: {x: 1}}",
        "{_id: 5, b: 1, w: {x: 1}}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private BsonDocument bounds(String filter) {
    return PlanFixture.scan(fixture.plan(fixture.query(filter))).getDocument("indexBounds");
  }

  @Test
  void anIndexThatBeginsWithAPlainFieldFindsByThatFieldAlone() {
    fixture.index("mixed", "{a: 1, 'w.$**': 1}", "{}");
    Query query = fixture.query("{a: 6}");
    assertThat(fixture.ids(query)).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(new Planner().plan(query).count(fixture.execution())).isEqualTo(3);
    assertThat(fixture.ids(fixture.query("{a: null}"))).containsExactly(5);
    assertThat(bounds("{a: 6}").toJson())
        .isEqualTo("{\"a\": [\"[6, 6]\"], \"$_path\": [\"[MinKey, MinKey]\", \"[\\\"\\\", {})\"]}");
  }

  @Test
  void aPathNarrowsTheIndexBehindThePlainField() {
    fixture.index("mixed", "{a: 1, 'w.$**': -1, b: 1}", "{}");
    assertThat(fixture.ids(fixture.query("{a: 6, 'w.x': 1}"))).containsExactlyInAnyOrder(1, 3);
    assertThat(fixture.ids(fixture.query("{a: 6, 'w.x': {$gte: 2}, b: 1}"))).containsExactly(3);
    BsonDocument bounds = bounds("{a: 6, 'w.x': {$gte: 2}, b: 1}");
    assertThat(bounds.toJson())
        .isEqualTo(
            "{\"a\": [\"[6, 6]\"], \"$_path\": [\"[\\\"w.x\\\", \\\"w.x\\\"]\"],"
                + " \"w.x\": [\"[inf.0, 2]\"], \"b\": [\"[1, 1]\"]}");
  }

  @Test
  void aPathThatMayBeMissingIsNotLookedUp() {
    fixture.index("mixed", "{a: 1, 'w.$**': 1}", "{}");
    assertThat(fixture.ids(fixture.query("{a: 6, 'w.x': null}"))).containsExactly(2);
    assertThat(fixture.ids(fixture.query("{a: 6, 'w.x': {$ne: 1}}"))).containsExactly(2);
    assertThat(fixture.ids(fixture.query("{a: 6, 'w.x': {$exists: false}}"))).containsExactly(2);
  }

  @Test
  void anIndexThatBeginsWithTheWildcardIsOfNoUseForThePlainFieldAlone() {
    fixture.index("mixed", "{'w.$**': 1, a: 1}", "{}");
    Query query = fixture.query("{a: 6}");
    assertThat(PlanFixture.stages(fixture.plan(query))).containsExactly("COLLSCAN");
    assertThatThrownBy(() -> fixture.run(query.with(PlanFixture.hint("mixed"))))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("No query solutions");
    assertThat(fixture.ids(fixture.query("{'w.x': 1, a: 6}"))).containsExactlyInAnyOrder(1, 3);
    assertThat(bounds("{'w.x': 1, a: 6}").getArray("a").get(0).asString().getValue())
        .isEqualTo("[6, 6]");
  }

  @Test
  void theOlderOfTwoEqualIndexesIsTaken() {
    fixture.index("plain", "{a: 1}", "{}");
    fixture.index("mixed", "{a: 1, 'w.$**': 1}", "{}");
    BsonDocument scan = PlanFixture.scan(fixture.plan(fixture.query("{a: 6}")));
    assertThat(scan.getString("indexName").getValue()).isEqualTo("plain");
  }

  @Test
  void valuesComeFromTheDocumentWithTheirTypesAndArrays() {
    fixture.index("wild", "{'$**': 1}", "{}");
    fixture.insert("{_id: 6, v: 5.0}", "{_id: 7, v: [5]}");
    BsonDocument projection = BsonDocument.parse("{v: 1, _id: 0}");
    Query all = fixture.query("{v: {$gte: 1}}");
    var kept = Projection.parse(projection, all.criteria().filter(), FilterContext.DEFAULT);
    Query query = all.with(new Query.Output(kept, false, false));
    assertThat(fixture.run(query).stream().map(one -> one.toBsonDocument().toJson()))
        .containsExactlyInAnyOrder("{\"v\": 5.0}", "{\"v\": [5]}");
  }
}
