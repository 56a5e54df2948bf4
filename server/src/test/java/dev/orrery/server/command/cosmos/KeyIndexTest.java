package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done with one partition key costs what its documents cost, whoever else is there. */
final class KeyIndexTest {
  private static final int OWN = 20;
  private static final int OTHERS = 2_000;

  @TempDir Path directory;
  private CosmosFixture server;

  @BeforeEach
  void fill() {
    server = CosmosFixture.extended(directory);
    for (String name : List.of("alone", "crowded")) {
      server.must(
          "{shardCollection: 'shop.%s', key: {tenant: 'hashed'}, $db: 'admin'}".formatted(name));
      insert(name, 0, OWN, "3");
    }
    for (int i = 0; i < OTHERS; i += 1_000) {
      insert("crowded", OWN + i, 1_000, "{$numberInt: '4'}");
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void insert(String name, int from, int count, String tenant) {
    var documents = new StringBuilder();
    for (int i = from; i < from + count; i++) {
      documents.append("{_id: %d, tenant: %s, n: %d},".formatted(i, tenant, i));
    }
    documents.setLength(documents.length() - 1);
    server.must("{insert: '" + name + "', documents: [" + documents + "]}");
  }

  private double cost(String command, String name) {
    server.must(command.formatted(name));
    return server.charge();
  }

  @Test
  void findsAndCountsAndChangesOfOneKeyCostWhatTheyCostWithoutTheOthers() {
    for (String command :
        List.of(
            "{find: '%s', filter: {tenant: 3}}",
            "{find: '%s', filter: {tenant: 3, n: {$gt: 15}}}",
            "{find: '%s', filter: {tenant: {$in: [3]}}, sort: {n: 1}}",
            "{count: '%s', query: {tenant: 3}}",
            "{aggregate: '%s', pipeline: [{$match: {tenant: 3}}, {$group: {_id: '$tenant'}}],"
                + " cursor: {}}",
            "{update: '%s', updates: [{q: {tenant: 3}, u: {$inc: {n: 1}}, multi: true}]}",
            "{delete: '%s', deletes: [{q: {tenant: 3, n: 5}, limit: 0}]}",
            "{delete: '%s', deletes: [{q: {tenant: 3}, limit: 0}]}")) {
      assertThat(cost(command, "crowded")).as(command).isEqualTo(cost(command, "alone"));
    }
    assertThat(server.must("{count: 'crowded'}").getInt32("n").getValue()).isEqualTo(OTHERS);
  }

  @Test
  void explainShowsTheIndexAndThatOthersAreNotTouched() {
    BsonDocument explained =
        server.must(
            "{explain: {find: 'crowded', filter: {tenant: 3}}, verbosity: 'executionStats'}");
    BsonDocument statistics = explained.getDocument("executionStats");
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isEqualTo(OWN);
    assertThat(statistics.getInt32("totalDocsExamined").getValue()).isEqualTo(OWN);
    assertThat(explained.getDocument("queryPlanner").toJson())
        .contains("\"stage\": \"IXSCAN\", \"keyPattern\": {\"tenant\": 1}")
        .contains("\"indexName\": \"_shardKey_\"");
    assertThat(
            server
                .must("{explain: {count: 'crowded', query: {tenant: 3}}}")
                .getDocument("queryPlanner")
                .toJson())
        .contains("COUNT_SCAN");
  }

  @Test
  void itIsNotListedNorDroppedNorNamedByAnybodyElse() {
    assertThat(
            server
                .must("{listIndexes: 'alone'}")
                .getDocument("cursor")
                .getArray("firstBatch")
                .toString())
        .contains("_id_")
        .doesNotContain("_shardKey_");
    assertThat(server.error("{dropIndexes: 'alone', index: '_shardKey_'}"))
        .startsWith("27 IndexNotFound");
    server.must("{dropIndexes: 'alone', index: '*'}");
    assertThat(
            server.error("{createIndexes: 'alone', indexes: [{key: {x: 1}, name: '_shardKey_'}]}"))
        .startsWith("2 BadValue: The index name '_shardKey_' is reserved");
    assertThat(cost("{find: '%s', filter: {tenant: 3}}", "alone")).isLessThan(20);
    assertThat(server.must("{validate: 'crowded'}").getBoolean("valid").getValue()).isTrue();
  }

  @Test
  void anIndexOfTheUserThatIsAsGoodIsTaken() {
    server.must("{createIndexes: 'crowded', indexes: [{key: {tenant: 1}, name: 'mine'}]}");
    assertThat(server.answer("{explain: {find: 'crowded', filter: {tenant: 3}}}"))
        .contains("\"indexName\": \"mine\"");
  }

  @Test
  void itGoesOnInTheChildrenOfASplit() {
    insert("crowded", 10_000, 500, "5");
    server.must("{splitPartition: 'crowded', partition: 0}");
    assertThat(server.partitions("crowded")).hasSize(2);
    assertThat(cost("{find: '%s', filter: {tenant: 3}}", "crowded"))
        .isEqualTo(cost("{find: '%s', filter: {tenant: 3}}", "alone"));
    assertThat(server.must("{validate: 'crowded'}").getBoolean("valid").getValue()).isTrue();
  }
}
