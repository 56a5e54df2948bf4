package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.server.throughput.ThroughputRules;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CustomActionCommandTest {
  @TempDir Path directory;

  @Test
  void in2018ACollectionWithAKeyHadAThousandUnitsAtLeast(@TempDir Path other) {
    var provisioning = new Provisioning(Provisioning.PARTITION_UNITS, CosmosRules.cosmos());
    provisioning.rules().setLeastWithKey(ThroughputRules.LEAST_WITH_KEY_2018);
    try (var then = new CosmosFixture(other, provisioning)) {
      String create = "{customAction: 'CreateCollection', collection: '%s'%s}";
      assertThat(then.error(create.formatted("a", ", shardKey: 'k', offerThroughput: 900")))
          .startsWith("2 BadValue: The offer should have valid throughput values between 1000 and");
      then.must(create.formatted("a", ", shardKey: 'k'"));
      then.must(create.formatted("b", ""));
      then.must("{shardCollection: 'shop.c', key: {k: 'hashed'}}");
      assertThat(units(then, "a")).isEqualTo(1_000);
      assertThat(units(then, "b")).isEqualTo(400);
      assertThat(units(then, "c")).isEqualTo(1_000);
      assertThat(
              then.error(
                  "{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 400}"))
          .startsWith("2 BadValue");
    }
  }

  private static int units(CosmosFixture fixture, String collection) {
    return fixture
        .must("{customAction: 'GetCollection', collection: '%s'}".formatted(collection))
        .getInt32("provisionedThroughput")
        .getValue();
  }

  @Test
  void aDatabaseTellsItsThroughput() {
    try (var fixture = CosmosFixture.extended(directory)) {
      String get = "{customAction: 'GetDatabase', $db: '%s'}";
      assertThat(fixture.error(get.formatted("none")))
          .isEqualTo("26 NamespaceNotFound: Database 'none' doesn't exist.");
      fixture.must("{customAction: 'CreateDatabase', $db: 'none'}");
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 20000, $db: 'manual'}");
      fixture.must(
          "{customAction: 'CreateDatabase', autoScaleSettings: {maxThroughput: 20000}, $db:"
              + " 'auto'}");
      assertThat(fixture.answer(get.formatted("none")))
          .isEqualTo("{\"database\": \"none\", \"ok\": 1.0}");
      assertThat(fixture.answer(get.formatted("manual")))
          .isEqualTo("{\"database\": \"manual\", \"provisionedThroughput\": 20000, \"ok\": 1.0}");
      assertThat(fixture.answer(get.formatted("auto")))
          .isEqualTo(
              "{\"database\": \"auto\", \"provisionedThroughput\": 2000,"
                  + " \"autoScaleSettings\": {\"maxThroughput\": 20000}, \"ok\": 1.0}");
      assertThat(fixture.error("{customAction: 'CreateDatabase', $db: 'auto'}"))
          .isEqualTo("48 NamespaceExists: Database 'auto' already exists.");
    }
  }

  @Test
  void aCollectionTellsItsKeyAndThroughput() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: '_id',"
              + " offerThroughput: 500}");
      assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'a'}"))
          .isEqualTo(
              "{\"database\": \"shop\", \"collection\": \"a\","
                  + " \"shardKeyDefinition\": {\"_id\": \"hashed\"},"
                  + " \"provisionedThroughput\": 500, \"maxContentLength\": 2097152, \"ok\": 1.0}");
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'b',"
              + " autoScaleSettings: {maxThroughput: 4000}}");
      assertThat(
              fixture.answer("{customAction: 'GetCollection', collection: 'b', showIndexes: true}"))
          .isEqualTo(
              "{\"database\": \"shop\", \"collection\": \"b\", \"provisionedThroughput\": 400,"
                  + " \"autoScaleSettings\": {\"maxThroughput\": 4000},"
                  + " \"maxContentLength\": 2097152, \"indexes\": [{\"v\": 1,"
                  + " \"key\": {\"_id\": 1}, \"name\": \"_id_\", \"ns\": \"shop.b\"}],"
                  + " \"ok\": 1.0}");
      fixture.must("{insert: 'c', documents: [{_id: 1}]}");
      assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'c'}"))
          .contains("\"provisionedThroughput\": 400");
    }
  }

  @Test
  void collectionsOfASharedDatabaseHaveNoThroughputOfTheirOwn() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 20000}");
      assertThat(fixture.error("{customAction: 'CreateCollection', collection: 'a'}"))
          .isEqualTo("2 BadValue: Shared throughput collection should have a partition key");
      fixture.must("{customAction: 'CreateCollection', collection: 'a', shardKey: 'pk'}");
      assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'a'}"))
          .isEqualTo(
              "{\"database\": \"shop\", \"collection\": \"a\","
                  + " \"shardKeyDefinition\": {\"pk\": \"hashed\"},"
                  + " \"maxContentLength\": 2097152, \"ok\": 1.0}");
      assertThat(fixture.partitions("a")).hasSize(2);
    }
  }

  @Test
  void throughputOutsideOfItsRangeIsRefused() {
    try (var fixture = CosmosFixture.extended(directory)) {
      String create = "{customAction: 'CreateCollection', collection: 'a', %s}";
      String range = "2 BadValue: The offer should have valid throughput values between ";
      assertThat(fixture.error(create.formatted("offerThroughput: 300, shardKey: 'a'")))
          .isEqualTo(range + "400 and 1000000 inclusive in increments of 100.");
      assertThat(fixture.error(create.formatted("offerThroughput: 450, shardKey: 'a'")))
          .isEqualTo(range + "400 and 1000000 inclusive in increments of 100.");
      assertThat(fixture.error(create.formatted("offerThroughput: 10100")))
          .isEqualTo(range + "400 and 10000 inclusive in increments of 100.");
      assertThat(
              fixture.error(
                  create.formatted("autoScaleSettings: {maxThroughput: 1500}, shardKey: 'a'")))
          .isEqualTo(range + "1000 and 1000000 inclusive in increments of 1000.");
      assertThat(
              fixture.error(
                  create.formatted(
                      "offerThroughput: 400, autoScaleSettings: {maxThroughput: 1000}")))
          .startsWith("2 BadValue");
    }
  }

  @Test
  void aRiseSplitsAsManyPartitionsAsNeededAndTheHighestIsRemembered() {
    try (var fixture = new CosmosFixture(directory, new Provisioning(1_000, false))) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k',"
              + " offerThroughput: 3000}");
      assertThat(fixture.partitions("a")).hasSize(3);
      fixture.must("{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 5000}");
      assertThat(fixture.partitions("a")).hasSize(5);
      fixture.must("{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 60000}");
      assertThat(
              fixture.error(
                  "{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 500}"))
          .isEqualTo(
              "2 BadValue: The offer should have valid throughput values between 600 and 1000000"
                  + " inclusive in increments of 100. Requested throughput 500 is less than"
                  + " required minimum throughput 600. Minimum limit 600 is because of Highest RUs"
                  + " provisioned 60000.");
      fixture.must("{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 600}");
      assertThat(fixture.partitions("a")).hasSize(60);
    }
  }

  @Test
  void aCollectionWithoutAKeyHasOnePartitionAndTenThousandUnitsAtMost() {
    try (var fixture = CosmosFixture.extended(directory)) {
      String create =
          "{customAction: 'CreateCollection', collection: 'fixed', offerThroughput: %d}";
      assertThat(fixture.error(create.formatted(10_100)))
          .isEqualTo(
              "2 BadValue: The offer should have valid throughput values between 400 and 10000"
                  + " inclusive in increments of 100.");
      fixture.must(create.formatted(10_000));
      assertThat(fixture.partitions("fixed")).hasSize(1);
      assertThat(
              fixture.error(
                  "{customAction: 'UpdateCollection', collection: 'fixed', offerThroughput:"
                      + " 20000}"))
          .startsWith("2 BadValue: The offer should have valid throughput values between 400");
    }
  }

  @Test
  void changeStreamTokensNeedACollectionAndATimestamp() {
    try (var fixture = CosmosFixture.extended(directory)) {
      assertThat(fixture.error("{customAction: 'GetChangeStreamTokens', collection: 'a'}"))
          .startsWith("26 NamespaceNotFound");
      fixture.must("{create: 'a'}");
      assertThat(
              fixture.error(
                  "{customAction: 'GetChangeStreamTokens', collection: 'a', startAtOperationTime:"
                      + " 1}"))
          .startsWith("14 TypeMismatch");
    }
  }

  @Test
  void copiesOfCollectionsKeepToTheRulesOfThroughput() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 400}");
      fixture.must("{insert: 'a', documents: [{_id: 1, x: '%s'}]}".formatted("x".repeat(800_000)));
      fixture.must("{cloneCollectionAsCapped: 'a', toCollection: 'copy', size: 2000000}");
      assertThat(fixture.run("{insert: 'copy', documents: [{_id: 2}]}").toJson())
          .contains("Error=16500"); // the copy shares the database's units, which are in debt
    }
  }

  @Test
  void updatingIndexesReplacesTheWholeSet() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', indexes: ["
              + "{key: {_id: 1}, name: '_id_'}, {key: {x: 1}, name: 'x_1'}]}");
      assertThat(
              fixture.error(
                  "{customAction: 'UpdateCollection', collection: 'a',"
                      + " indexes: [{key: {y: 1}, name: 'y_1'}]}"))
          .isEqualTo("2 BadValue: 'indexes' must contain an index on _id");
      fixture.must(
          "{customAction: 'UpdateCollection', collection: 'a', indexes: ["
              + "{key: {_id: 1}, name: '_id_'}, {key: {y: 1}, name: 'y_1'}]}");
      assertThat(
              fixture.answer("{customAction: 'GetCollection', collection: 'a', showIndexes: true}"))
          .contains("y_1")
          .doesNotContain("x_1");
    }
  }

  @Test
  void settingsSurviveARestart() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 700}");
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k',"
              + " offerThroughput: 20000}");
      fixture.must("{splitPartition: 'a', partition: 0}");
    }
    try (var fixture = CosmosFixture.extended(directory)) {
      assertThat(fixture.answer("{customAction: 'GetDatabase'}")).contains("700");
      assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'a'}"))
          .contains("20000");
      assertThat(fixture.partitions("a")).hasSize(3);
    }
  }
}
