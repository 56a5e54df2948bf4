package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.query.Collation;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which conditions of {@code $expr} an index answers; that it answers them right is a property. */
class ExpressionIndexTest {
  @TempDir Path directory;
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, null, 1);
    for (int i = 0; i < 50; i++) {
      fixture.insert("{_id: " + i + ", a: " + i % 10 + ", b: " + i % 7 + ", s: 'n" + i + "'}");
    }
    fixture.insert("{_id: 50, a: null}", "{_id: 51}", "{_id: 52, a: 'x'}");
    fixture.index("a_1", "{a: 1}", "{}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private List<String> stages(String expression) {
    return PlanFixture.stages(fixture.plan(fixture.query("{$expr: " + expression + "}")));
  }

  private List<Integer> ids(String expression) {
    return fixture.ids(fixture.query("{$expr: " + expression + "}"));
  }

  private String bounds(String expression) {
    BsonDocument plan = fixture.plan(fixture.query("{$expr: " + expression + "}"));
    return PlanFixture.scan(plan)
        .getDocument("indexBounds")
        .getArray("a")
        .get(0)
        .asString()
        .getValue();
  }

  @Test
  void anEqualityReadsOnlyItsKeys() {
    Query query = fixture.query("{$expr: {$eq: ['$a', 3]}}");
    BsonDocument statistics = fixture.statistics(query);
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isEqualTo(5);
    assertThat(fixture.ids(query)).containsExactlyInAnyOrder(3, 13, 23, 33, 43);
    assertThat(bounds("{$eq: [3, '$a']}")).isEqualTo("[3, 3]");
  }

  @Test
  void nullIsNotMissing() {
    assertThat(ids("{$eq: ['$a', null]}")).containsExactly(50);
    assertThat(ids("{$eq: ['$a', '$$REMOVE']}")).containsExactly(51);
    assertThat(stages("{$eq: ['$a', '$$REMOVE']}")).containsExactly("FETCH", "IXSCAN");
  }

  @Test
  void aRangeGoesOnThroughAllTypes() {
    assertThat(bounds("{$gt: ['$a', 7]}")).isEqualTo("(7, MaxKey]");
    assertThat(ids("{$gt: ['$a', 7]}")).hasSize(11).contains(52);
    assertThat(bounds("{$lt: ['$a', 1]}")).isEqualTo("[MinKey, 1)");
    assertThat(ids("{$lt: ['$a', 1]}")).hasSize(7).contains(50, 51);
    assertThat(ids("{$lt: ['$a', null]}")).containsExactly(51);
    assertThat(bounds("{$lt: ['$a', null]}")).isEqualTo("[MinKey, null]");
  }

  @Test
  void boundsOfBothEndsMeet() {
    assertThat(bounds("{$and: [{$gte: ['$a', 2]}, {$gt: [4, '$a']}, '$b']}")).isEqualTo("[2, 4)");
  }

  @Test
  void membersOfAConstantArrayArePoints() {
    assertThat(ids("{$in: ['$a', [3, 5, 77]]}")).hasSize(10);
    assertThat(stages("{$in: ['$a', [3, 5, 77]]}")).containsExactly("FETCH", "IXSCAN");
    assertThat(stages("{$in: ['$a', ['$b']]}")).containsExactly("COLLSCAN");
  }

  @Test
  void aDisjunctionNeedsAnIndexForEachClause() {
    assertThat(stages("{$or: [{$eq: ['$a', 3]}, {$eq: ['$b', 3]}]}")).containsExactly("COLLSCAN");
    fixture.index("b_1", "{b: 1}", "{}");
    assertThat(stages("{$or: [{$eq: ['$a', 3]}, {$eq: ['$b', 3]}]}"))
        .startsWith("FETCH", "OR", "IXSCAN");
    assertThat(ids("{$or: [{$eq: ['$a', 3]}, {$eq: ['$b', 3]}]}")).hasSize(11);
  }

  @Test
  void anArrayIsOneValueAndHasNoKey() {
    fixture.insert("{_id: 60, a: [3, 5]}", "{_id: 61, a: []}");
    assertThat(ids("{$eq: ['$a', 3]}")).hasSize(5).doesNotContain(60);
    assertThat(ids("{$eq: ['$a', [3, 5]]}")).containsExactly(60);
    assertThat(stages("{$eq: ['$a', [3, 5]]}")).containsExactly("COLLSCAN");
    assertThat(ids("{$gt: ['$a', 8]}")).contains(60, 61);
    assertThat(stages("{$gt: ['$a', 8]}")).containsExactly("COLLSCAN");
  }

  @Test
  void textNeedsTheCollationOfTheIndex() {
    fixture.index("s_1", "{s: 1}", "{}");
    Collation collation = Collation.parse(BsonDocument.parse("{locale: 'en', strength: 2}"));
    Query query = fixture.query("{$expr: {$eq: ['$s', 'N7']}}", collation);
    assertThat(PlanFixture.stages(fixture.plan(query))).containsExactly("COLLSCAN");
    assertThat(fixture.ids(query)).containsExactly(7);
    assertThat(stages("{$eq: ['$s', 'n7']}")).containsExactly("FETCH", "IXSCAN");
  }

  @Test
  void aSparseIndexServesWhatExcludesMissingFields() {
    fixture.index("b_1", "{b: 1}", "{sparse: true}");
    assertThat(stages("{$eq: ['$b', 3]}")).containsExactly("FETCH", "IXSCAN");
    assertThat(stages("{$gte: ['$b', 3]}")).containsExactly("FETCH", "IXSCAN");
    assertThat(stages("{$lt: ['$b', 3]}")).containsExactly("COLLSCAN");
    assertThat(stages("{$eq: ['$b', null]}")).containsExactly("COLLSCAN");
  }

  @Test
  void anIdIsReadByItsKey() {
    assertThat(stages("{$eq: ['$_id', 7]}")).containsExactly("IDHACK");
    assertThat(ids("{$eq: ['$_id', 7]}")).containsExactly(7);
  }

  @Test
  void whatComparesTwoFieldsIsScanned() {
    assertThat(stages("{$eq: ['$a', '$b']}")).containsExactly("COLLSCAN");
    assertThat(stages("{$not: [{$eq: ['$a', 3]}]}")).containsExactly("COLLSCAN");
    assertThat(stages("{$ne: ['$a', 3]}")).containsExactly("COLLSCAN");
  }
}
