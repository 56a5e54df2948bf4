package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.query.Collation;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlannerTest {
  @TempDir Path directory;
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, null, 1);
    for (int i = 0; i < 200; i++) {
      fixture.insert("{_id: " + i + ", a: " + i % 20 + ", b: " + i % 7 + ", s: 'n" + i + "'}");
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private BsonDocument scanOf(Query query) {
    return PlanFixture.scan(fixture.plan(query));
  }

  private static BsonArray bounds(BsonDocument scan, String field) {
    return scan.getDocument("indexBounds").getArray(field);
  }

  private static BsonArray texts(String... texts) {
    return new BsonArray(List.of(texts).stream().map(BsonString::new).toList());
  }

  @Test
  void anIdIsReadWithoutAScan() {
    Query query = fixture.query("{_id: 7}");
    assertThat(PlanFixture.stages(fixture.plan(query))).containsExactly("IDHACK");
    assertThat(new Planner().plan(query).isShort()).isTrue();
    assertThat(fixture.ids(query)).containsExactly(7);
  }

  @Test
  void clausesThatRepeatAnIdFindItOnce() {
    assertThat(fixture.ids(fixture.query("{$or: [{_id: 7}, {_id: 7, a: 7}]}"))).containsExactly(7);
  }

  @Test
  void withoutAnIndexTheCollectionIsScanned() {
    Query query = fixture.query("{a: 3}");
    assertThat(PlanFixture.stages(fixture.plan(query))).containsExactly("COLLSCAN");
    assertThat(new Planner().plan(query).isShort()).isFalse();
  }

  @Test
  void anIndexedFieldReadsOnlyMatchingDocuments() {
    fixture.index("a_1", "{a: 1}", "{}");
    BsonDocument statistics = fixture.statistics(fixture.query("{a: 3}"));
    assertThat(statistics.getInt32("nReturned").getValue()).isEqualTo(10);
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isEqualTo(10);
    assertThat(statistics.getInt32("totalDocsExamined").getValue()).isEqualTo(10);
  }

  @Test
  void anIndexedSortWithALimitReadsNoMoreThanTheLimit() {
    fixture.index("b_a", "{b: 1, a: -1}", "{}");
    Query query =
        fixture.query("{}").with(PlanFixture.order("{b: -1, a: 1}")).with(new Query.Window(0, 10));
    assertThat(PlanFixture.stages(fixture.plan(query))).containsExactly("LIMIT", "FETCH", "IXSCAN");
    assertThat(scanOf(query).getString("direction").getValue()).isEqualTo("backward");
    BsonDocument statistics = fixture.statistics(query);
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isEqualTo(10);
    assertThat(statistics.getInt32("totalDocsExamined").getValue()).isEqualTo(10);
  }

  @Test
  void anEqualityLeavesTheOrderOfTheNextField() {
    fixture.index("a_b", "{a: 1, b: 1}", "{}");
    Query query = fixture.query("{a: 4}").with(PlanFixture.order("{b: 1}"));
    assertThat(PlanFixture.stages(fixture.plan(query))).containsExactly("FETCH", "IXSCAN");
    Query mixed = fixture.query("{a: {$gt: 4}}").with(PlanFixture.order("{b: 1}"));
    assertThat(PlanFixture.stages(fixture.plan(mixed))).containsExactly("SORT", "FETCH", "IXSCAN");
  }

  @Test
  void conditionsOnOneFieldIntersect() {
    fixture.index("a_1", "{a: 1}", "{}");
    BsonDocument scan = scanOf(fixture.query("{a: {$gt: 3, $lte: 9}, $and: [{a: {$lt: 8}}]}"));
    assertThat(bounds(scan, "a")).isEqualTo(texts("(3, 8)"));
  }

  @Test
  void rangesEndWithTheirType() {
    fixture.index("a_1", "{a: 1}", "{}");
    assertThat(bounds(scanOf(fixture.query("{a: {$gt: 3}}")), "a")).isEqualTo(texts("(3, inf.0]"));
    assertThat(bounds(scanOf(fixture.query("{a: {$lt: 'x'}}")), "a"))
        .isEqualTo(texts("[\"\", \"x\")"));
    assertThat(bounds(scanOf(fixture.query("{a: null}")), "a"))
        .isEqualTo(texts("[undefined, undefined]", "[null, null]"));
    assertThat(bounds(scanOf(fixture.query("{a: /^ab/}")), "a"))
        .isEqualTo(texts("[\"ab\", \"ac\")", "[/^ab/, /^ab/]"));
  }

  @Test
  void anArrayKeepsConditionsApartUnlessOneElementMustMeetThem() {
    fixture.index("a_1", "{a: 1}", "{}");
    fixture.insert("{_id: 1000, a: [1, 50]}");
    assertThat(bounds(scanOf(fixture.query("{a: {$gt: 18, $lt: 3}}")), "a"))
        .isEqualTo(texts("[-inf.0, 3)"));
    assertThat(fixture.ids(fixture.query("{a: {$gt: 20, $lt: 3}}"))).containsExactly(1000);
    assertThat(bounds(scanOf(fixture.query("{a: {$elemMatch: {$gt: 2, $lt: 5}}}")), "a"))
        .isEqualTo(texts("(2, 5)"));
  }

  @Test
  void aScanSkipsWhatALaterFieldExcludes() {
    fixture.index("a_b", "{a: 1, b: 1}", "{}");
    BsonDocument statistics = fixture.statistics(fixture.query("{a: {$gte: 5, $lt: 8}, b: 3}"));
    int found = statistics.getInt32("nReturned").getValue();
    assertThat(statistics.getInt32("totalDocsExamined").getValue()).isEqualTo(found);
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isLessThanOrEqualTo(found + 6);
  }

  @Test
  void theNarrowerIndexIsTaken() {
    fixture.index("b_1", "{b: 1}", "{}");
    fixture.index("s_1", "{s: 1}", "{}");
    assertThat(scanOf(fixture.query("{b: 3, s: 'n3'}")).getString("indexName").getValue())
        .isEqualTo("s_1");
  }

  @Test
  void clausesUseTheirOwnIndexes() {
    fixture.index("b_1", "{b: 1}", "{}");
    fixture.index("s_1", "{s: 1}", "{}");
    Query query = fixture.query("{$or: [{s: 'n3'}, {s: 'n10', b: 3}, {b: 3, a: 3}]}");
    assertThat(PlanFixture.stages(fixture.plan(query))).containsExactly("FETCH", "OR", "IXSCAN");
    assertThat(fixture.ids(query)).containsExactlyInAnyOrder(3, 10, 143);
  }

  @Test
  void hiddenSparseAndPartialIndexesServeOnlyWhatTheyHold() {
    fixture.index("hidden", "{a: 1}", "{hidden: true}");
    fixture.index("sparse", "{b: 1}", "{sparse: true}");
    fixture.index("partial", "{s: 1}", "{partialFilterExpression: {a: {$gt: 5}}}");
    assertThat(scanOf(fixture.query("{a: 3}")).getString("stage").getValue()).isEqualTo("COLLSCAN");
    assertThat(scanOf(fixture.query("{b: null}")).getString("stage").getValue())
        .isEqualTo("COLLSCAN");
    assertThat(scanOf(fixture.query("{b: 3}")).getString("indexName").getValue())
        .isEqualTo("sparse");
    assertThat(scanOf(fixture.query("{s: 'n3', a: {$gt: 4}}")).getString("stage").getValue())
        .isEqualTo("COLLSCAN");
    assertThat(scanOf(fixture.query("{s: 'n3', a: 7}")).getString("indexName").getValue())
        .isEqualTo("partial");
  }

  @Test
  void textNeedsAnIndexWithItsCollation() {
    var collation = Collation.parse(BsonDocument.parse("{locale: 'en', strength: 2}"));
    fixture.index("plain", "{s: 1}", "{}");
    assertThat(scanOf(fixture.query("{s: 'N3'}", collation)).getString("stage").getValue())
        .isEqualTo("COLLSCAN");
    assertThat(scanOf(fixture.query("{s: 3}", collation)).getString("indexName").getValue())
        .isEqualTo("plain");
    fixture.index("collated", "{s: 1}", "{collation: {locale: 'en', strength: 2}}");
    Query query = fixture.query("{s: 'N3'}", collation);
    assertThat(scanOf(query).getString("indexName").getValue()).isEqualTo("collated");
    assertThat(fixture.ids(query)).containsExactly(3);
  }

  @Test
  void hashesServeEqualityAndWildcardsAnyPath() {
    fixture.index("hashed", "{s: 'hashed'}", "{}");
    assertThat(fixture.ids(fixture.query("{s: 'n3'}"))).containsExactly(3);
    assertThat(scanOf(fixture.query("{s: 'n3'}")).getString("indexName").getValue())
        .isEqualTo("hashed");
    fixture.index("wild", "{'$**': 1}", "{}");
    fixture.insert("{_id: 900, x: {y: [4, 5]}}");
    BsonDocument scan = scanOf(fixture.query("{'x.y': 5}"));
    assertThat(bounds(scan, "$_path")).isEqualTo(texts("[\"x.y\", \"x.y\"]"));
    assertThat(fixture.ids(fixture.query("{'x.y': 5}"))).containsExactly(900);
  }

  @Test
  void aFieldOfAnElementThatIsNoDocumentIsNotNull() {
    fixture.index("position", "{'x.1.b': 1}", "{}");
    fixture.insert("{_id: 900, x: [0, 0]}", "{_id: 901, x: [0, {b: 1}]}");
    Query query = fixture.query("{'x.1.b': {$ne: null}}");
    assertThat(fixture.ids(query)).containsExactly(900);
    assertThat(fixture.ids(query.with(PlanFixture.natural()))).containsExactly(900);
  }

  @Test
  void aWriterMeetsADocumentOnceThatMovesAheadInTheIndex() {
    fixture.index("a_1", "{a: 1}", "{}");
    var execution = fixture.execution();
    execution.prepareForWrites();
    int met = 0;
    try (var cursor = new Planner().plan(fixture.query("{a: {$gte: 0}}")).open(execution)) {
      for (var one = cursor.next(); one != null; one = cursor.next()) {
        fixture.moveAhead(one.stored(), 1000 + met++);
      }
    }
    assertThat(met).isEqualTo(200);
  }
}
