package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CommandFixture;
import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AggregateCommandTest {
  private static final String SESSION = "UUID('00112233-4455-6677-8899-aabbccddeeff')";

  private CosmosFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = CosmosFixture.extended(directory);
    data.run(
        "{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}, {_id: 3, a: 1}], $db: 'db'}");
  }

  @AfterEach
  void close() {
    data.close();
  }

  private BsonDocument explain(String pipeline, String verbosity) {
    return data.run(
        "{explain: {aggregate: 'c', pipeline: "
            + pipeline
            + ", cursor: {}}, verbosity: '"
            + verbosity
            + "', $db: 'db'}");
  }

  private BsonArray results(String command) {
    return data.run(command).getDocument("cursor").getArray("firstBatch");
  }

  @Test
  void explainCountsWhatEachStageReturned() {
    var reply =
        explain(
            "[{$match: {_id: {$gt: 0}}}, {$group: {_id: '$a'}}, {$limit: 1}]", "executionStats");
    var stages = reply.getArray("stages");
    assertThat(stages)
        .extracting(stage -> stage.asDocument().getFirstKey())
        .containsExactly("$cursor", "$group", "$limit");
    assertThat(stages)
        .extracting(stage -> stage.asDocument().getInt64("nReturned").getValue())
        .containsExactly(3L, 1L, 1L);
    assertThat(stages).allMatch(stage -> stage.asDocument().isInt64("executionTimeMillisEstimate"));
    BsonDocument cursor = stages.get(0).asDocument().getDocument("$cursor");
    assertThat(cursor.getDocument("executionStats").getInt32("totalDocsExamined").getValue())
        .isEqualTo(3);
    assertThat(reply.getDocument("command").getArray("pipeline")).hasSize(3);
  }

  @Test
  void explainWithoutExecutionRunsNothing() {
    var reply = explain("[{$group: {_id: {$divide: ['$a', 0]}}}]", "queryPlanner");
    var stages = reply.getArray("stages");
    assertThat(stages.get(0).asDocument().getDocument("$cursor").keySet())
        .containsExactly("queryPlanner");
    assertThat(stages.get(1))
        .isEqualTo(BsonDocument.parse("{$group: {_id: {$divide: ['$a', 0]}}}"));
  }

  @Test
  void explainOfAPipelineThatWritesDoesNotWrite() {
    explain("[{$project: {b: 1}}, {$out: 'd'}]", "executionStats");
    assertThat(results("{aggregate: 'd', pipeline: [], cursor: {}, $db: 'db'}")).isEmpty();
  }

  @Test
  void aQueryThatDoesItAllIsExplainedAsAFind() {
    var reply = explain("[{$match: {a: 1}}]", "executionStats");
    assertThat(reply.getDocument("executionStats").getInt32("nReturned").getValue()).isEqualTo(2);
    assertThat(reply).containsKey("queryPlanner").doesNotContainKey("stages");
  }

  @Test
  void sessionsAreListedWithTheirLastUse() {
    data.run("{ping: 1, lsid: {id: " + SESSION + "}, $db: 'db'}");
    String local = "{aggregate: 1, pipeline: [{$listLocalSessions: %s}], cursor: {}, $db: 'db'}";
    for (String options : new String[] {"{}", "{allUsers: true}"}) {
      assertThat(results(local.formatted(options)))
          .singleElement()
          .satisfies(
              session -> {
                BsonDocument id = session.asDocument().getDocument("_id");
                assertThat(id.getBinary("id").asUuid())
                    .hasToString("00112233-4455-6677-8899-aabbccddeeff");
                assertThat(id.getBinary("uid").getData()).hasSize(32);
                assertThat(session.asDocument().getDateTime("lastUse").getValue())
                    .isEqualTo(CommandFixture.NOW.toEpochMilli());
              });
    }
    assertThat(results(local.formatted("{users: [{user: 'ann', db: 'admin'}]}"))).isEmpty();
    assertThat(
            results(
                "{aggregate: 'system.sessions', pipeline: [{$listSessions: {}}], cursor: {}, $db:"
                    + " 'config'}"))
        .hasSize(1);
  }

  @Test
  void wrongOptionsOfSessionListsAreRefused() {
    String stage = "{aggregate: 1, pipeline: [{$listLocalSessions: %s}], cursor: {}, $db: 'db'}";
    assertThat(data.error(stage.formatted("1")))
        .isEqualTo(
            "14 TypeMismatch: $listLocalSessions options must be specified in an object, but"
                + " found: int");
    assertThat(data.error(stage.formatted("{allUsers: true, users: [{user: 'a', db: 'b'}]}")))
        .isEqualTo(
            "12 UnsupportedFormat: $listLocalSessions may not specify {allUsers:true} and"
                + " {users:[...]} at the same time");
    assertThat(data.error(stage.formatted("{x: 1}")))
        .isEqualTo("40415 Location40415: BSON field '$listLocalSessions.x' is an unknown field.");
  }

  @Test
  void planCachesAreEmptyAndNeedACollection() {
    String stage = "{aggregate: '%s', pipeline: [{$planCacheStats: {}}], cursor: {}, $db: 'db'}";
    assertThat(results(stage.formatted("c"))).isEmpty();
    assertThat(data.error(stage.formatted("none")))
        .isEqualTo(
            "50933 Location50933: PlanExecutor error during aggregation :: caused by :: collection"
                + " 'db.none' does not exist");
  }

  /** What a find sorts by score, with its score, is what any way through a pipeline must give. */
  @Test
  void scoresAreKeptThroughEveryStageThatKeepsDocuments() {
    data.run("{createIndexes: 'w', indexes: [{key: {t: 'text'}, name: 't'}], $db: 'db'}");
    var documents = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      String words = "fox ".repeat(i % 5 + 1) + "dog ".repeat(i % 7) + "n" + i;
      documents.append("{_id: %d, n: %d, t: '%s'},".formatted(i, i % 3, words));
    }
    data.run("{insert: 'w', documents: [" + documents + "], $db: 'db'}");
    String score = "{$meta: 'textScore'}";
    BsonArray found =
        results(
            "{find: 'w', filter: {$text: {$search: 'fox dog'}}, projection: {s: %s, _id: 1}, sort:"
                    .formatted(score)
                + " {s: {$meta: 'textScore'}, _id: 1}, batchSize: 100, $db: 'db'}");
    assertThat(found).hasSize(40);
    for (String stages :
        List.of(
            "{$addFields: {x: 1}}, {$sort: {s: %1$s, _id: 1}}, {$project: {s: %1$s}}",
            "{$skip: 0}, {$sort: {n: 1}}, {$sort: {s: %1$s, _id: 1}}, {$project: {s: %1$s}}",
            "{$unwind: '$n'}, {$sort: {n: -1}}, {$addFields: {s: %1$s}},"
                + " {$sort: {s: -1, _id: 1}}, {$project: {s: 1}}")) {
      assertThat(
              results(
                  "{aggregate: 'w', pipeline: [{$match: {$text: {$search: 'fox dog'}}}, "
                      + stages.formatted(score)
                      + "], cursor: {batchSize: 100}, $db: 'db'}"))
          .as(stages)
          .isEqualTo(found);
    }
  }

  @Test
  void nearSearchesAreRefusedWhereTheyCannotOrder() {
    data.run(
        "{createIndexes: 'c', indexes: [{key: {p: '2d'}, name: 'p'}, {key: {t: 'text'}, name:"
            + " 't'}], $db: 'db'}");
    assertThat(data.error("{find: 'c', filter: {p: {$elemMatch: {$near: [0, 0]}}}, $db: 'db'}"))
        .isEqualTo("2 BadValue: geo $near must be top-level expr");
    String near =
        "{aggregate: 'c', pipeline: [{$geoNear: {near: [0, 0], distanceField: 'd', %s}}], cursor:"
            + " {}, $db: 'db'}";
    assertThat(data.error(near.formatted("query: {$text: {$search: 'x'}}")))
        .isEqualTo("2 BadValue: text and geoNear not allowed in same query");
    assertThat(data.error(near.formatted("key: '$p'"))).startsWith("16410 ");
    assertThat(data.error(near.formatted("key: 'a..p'"))).startsWith("15998 ");
  }
}
