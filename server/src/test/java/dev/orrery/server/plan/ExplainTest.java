package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainTest {
  @TempDir Path directory;
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, null, 1);
    for (int i = 0; i < 50; i++) {
      fixture.insert("{_id: " + i + ", a: " + i % 10 + ", b: " + i % 4 + "}");
    }
    fixture.index("a_1", "{a: 1}", "{}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private BsonDocument explain(Query query, ExplainVerbosity verbosity) {
    return new Planner().plan(query).explain(verbosity, fixture.execution());
  }

  @Test
  void thePlannerTellsItsFieldsInMongoDbsOrder() {
    BsonDocument answer = explain(fixture.query("{a: 3}"), ExplainVerbosity.QUERY_PLANNER);
    assertThat(answer.keySet()).containsExactly("explainVersion", "queryPlanner");
    assertThat(answer.getDocument("queryPlanner").keySet())
        .containsExactly(
            "namespace",
            "indexFilterSet",
            "parsedQuery",
            "queryHash",
            "planCacheKey",
            "maxIndexedOrSolutionsReached",
            "maxIndexedAndSolutionsReached",
            "maxScansToExplodeReached",
            "winningPlan",
            "rejectedPlans");
    assertThat(answer.getDocument("queryPlanner").getDocument("parsedQuery"))
        .isEqualTo(BsonDocument.parse("{a: {$eq: 3}}"));
  }

  @Test
  void aWinningPlanLooksLikeMongoDbs() {
    Query query = fixture.query("{a: 3, b: {$gt: 1}}").with(PlanFixture.order("{b: 1}"));
    assertThat(fixture.plan(query))
        .isEqualTo(
            BsonDocument.parse(
                """
                {stage: 'SORT', sortPattern: {b: 1}, memLimit: 104857600, type: 'simple',
                 inputStage: {stage: 'FETCH', filter: {b: {$gt: 1}},
                  inputStage: {stage: 'IXSCAN', keyPattern: {a: 1}, indexName: 'a_1',
                   isMultiKey: false, multiKeyPaths: {a: []}, isUnique: false, isSparse: false,
                   isPartial: false, indexVersion: 2, direction: 'forward',
                   indexBounds: {a: ['[3, 3]']}}}}
                """));
  }

  @Test
  void everyStageCountsWhatItDid() {
    BsonDocument statistics = fixture.statistics(fixture.query("{a: 3, b: 1}"));
    assertThat(statistics.keySet())
        .containsExactly(
            "executionSuccess",
            "nReturned",
            "executionTimeMillis",
            "totalKeysExamined",
            "totalDocsExamined",
            "executionStages");
    BsonDocument fetch = statistics.getDocument("executionStages");
    assertThat(fetch.keySet())
        .containsExactly(
            "stage",
            "filter",
            "nReturned",
            "executionTimeMillisEstimate",
            "works",
            "advanced",
            "needTime",
            "needYield",
            "saveState",
            "restoreState",
            "isEOF",
            "docsExamined",
            "alreadyHasObj",
            "inputStage");
    assertThat(fetch.get("nReturned")).isEqualTo(new BsonInt32(2));
    assertThat(fetch.get("needTime")).isEqualTo(new BsonInt32(3));
    assertThat(fetch.get("works")).isEqualTo(new BsonInt32(6));
    assertThat(fetch.getDocument("inputStage").get("keysExamined")).isEqualTo(new BsonInt32(5));
  }

  @Test
  void otherPlansAreRejected() {
    fixture.index("b_1", "{b: 1}", "{}");
    BsonDocument answer = explain(fixture.query("{a: 3, b: 1}"), ExplainVerbosity.QUERY_PLANNER);
    BsonDocument planner = answer.getDocument("queryPlanner");
    BsonDocument rejected = planner.getArray("rejectedPlans").get(0).asDocument();
    assertThat(PlanFixture.scan(planner.getDocument("winningPlan")).getString("indexName"))
        .isNotEqualTo(PlanFixture.scan(rejected).getString("indexName"));
  }

  @Test
  void queriesOfOneShapeHaveOneHash() {
    var one = explain(fixture.query("{a: 3}"), ExplainVerbosity.QUERY_PLANNER);
    var same = explain(fixture.query("{a: 5}"), ExplainVerbosity.QUERY_PLANNER);
    var other = explain(fixture.query("{b: 5}"), ExplainVerbosity.QUERY_PLANNER);
    assertThat(hash(one)).isEqualTo(hash(same)).isNotEqualTo(hash(other));
  }

  private static String hash(BsonDocument answer) {
    return answer.getDocument("queryPlanner").getString("queryHash").getValue();
  }

  @Test
  void aCountReadsNoDocumentsThatItDoesNotNeed() {
    var execution = fixture.execution();
    assertThat(new Planner().plan(fixture.query("{a: {$gte: 3}}")).count(execution)).isEqualTo(35);
    assertThat(execution.meter().documentsLoaded()).isZero();
    assertThat(new Planner().plan(fixture.query("{a: 3, b: 1}")).count(execution)).isEqualTo(2);
    assertThat(execution.meter().documentsLoaded()).isEqualTo(5);
    assertThat(new Planner().plan(fixture.query("{}")).count(execution)).isEqualTo(50);
    Query window = fixture.query("{a: 3}").with(new Query.Window(1, 3));
    assertThat(new Planner().plan(window).count(execution)).isEqualTo(3);
  }

  @Test
  void allCandidatesAreTriedWhenAsked() {
    fixture.index("b_1", "{b: 1}", "{}");
    BsonDocument answer =
        explain(fixture.query("{a: 3, b: 1}"), ExplainVerbosity.ALL_PLANS_EXECUTION);
    var rejected = answer.getDocument("queryPlanner").getArray("rejectedPlans");
    var tried = answer.getDocument("executionStats").getArray("allPlansExecution");
    assertThat(rejected).hasSize(1);
    assertThat(tried).hasSize(2);
    BsonDocument first = tried.get(0).asDocument();
    assertThat(first.keySet())
        .containsExactly(
            "nReturned",
            "executionTimeMillisEstimate",
            "totalKeysExamined",
            "totalDocsExamined",
            "score",
            "executionStages");
    assertThat(first.getInt32("totalKeysExamined").getValue()).isEqualTo(5);
    assertThat(tried.get(1).asDocument().getInt32("totalKeysExamined").getValue()).isEqualTo(13);
    assertThat(
            explain(fixture.query("{a: 3}"), ExplainVerbosity.ALL_PLANS_EXECUTION)
                .getDocument("executionStats")
                .getArray("allPlansExecution"))
        .isEmpty();
  }

  @Test
  void usesOfIndexesAreCounted() {
    var planner = new Planner();
    var index = fixture.collection.info().index("a_1").spec();
    long before = planner.indexUses().of(fixture.collection, index).operations();
    planner.plan(fixture.query("{a: 3}")).open(fixture.execution()).close();
    planner.plan(fixture.query("{a: 3}")).count(fixture.execution());
    planner.plan(fixture.query("{b: 3}")).open(fixture.execution()).close();
    planner.plan(fixture.query("{a: 3}")).explain(ExplainVerbosity.QUERY_PLANNER, null);
    assertThat(planner.indexUses().of(fixture.collection, index).operations() - before)
        .isEqualTo(2);
  }
}
