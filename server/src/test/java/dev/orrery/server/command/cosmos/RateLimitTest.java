package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.throughput.Provisioning;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Budgets of request units, with a clock that the test turns. */
class RateLimitTest {
  private static final Pattern RETRY = Pattern.compile("RetryAfterMs=(\\d+)");

  @TempDir Path directory;

  @Test
  void tenSecondsOf400UnitsSpend4000AndTheFirstSecondsWorthAndLoseNothing() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      int written = 0;
      double spent = 0;
      for (long end = fixture.commands.nanos.get() + 10_000_000_000L;
          fixture.commands.nanos.get() < end; ) {
        BsonDocument reply =
            fixture.run("{insert: 'a', documents: [{_id: %d}]}".formatted(written));
        if (reply.containsKey("writeErrors")) {
          fixture.advanceMillis(retryAfter(reply));
        } else {
          written++;
          spent += fixture.charge();
          fixture.advanceMillis(1);
        }
      }
      assertThat(spent).isCloseTo(4400, within(4400 * 0.05));
      assertThat(fixture.must("{count: 'a'}").getInt32("n").getValue()).isEqualTo(written);
    }
  }

  private static long retryAfter(BsonDocument reply) {
    Matcher matcher = RETRY.matcher(reply.toJson());
    assertThat(matcher.find()).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  @Test
  void aBatchStopsWhereTheUnitsEndAndSaysSoForEachItem() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      var documents = new StringBuilder("{_id: 0}");
      for (int i = 1; i < 200; i++) {
        documents.append(", {_id: ").append(i).append('}');
      }
      BsonDocument reply =
          fixture.run("{insert: 'a', ordered: false, documents: [" + documents + "]}");
      int n = reply.getInt32("n").getValue();
      assertThat(n).isBetween(70, 85);
      assertThat(reply.getArray("writeErrors")).hasSize(200 - n);
      BsonDocument error = reply.getArray("writeErrors").get(0).asDocument();
      assertThat(error.getInt32("code").getValue()).isEqualTo(16500);
      assertThat(error.getString("errmsg").getValue())
          .matches("Error=16500, RetryAfterMs=\\d+, Details='Batch write error.'");
      fixture.advanceMillis(1000);
      assertThat(
              fixture.must("{find: 'a', filter: {}}").getDocument("cursor").getArray("firstBatch"))
          .hasSize(n);
    }
  }

  @Test
  void anUpdateOfManyStopsWhereTheUnitsEndAndSaysWhatItDid() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      for (int i = 0; i < 100; i++) {
        fixture.must("{insert: 'a', documents: [{_id: %d}]}".formatted(i));
        fixture.advanceMillis(100);
      }
      fixture.advanceMillis(1000);
      String update = "{update: 'a', updates: [{q: {x: null}, u: {$set: {x: 1}}, multi: true}]}";
      BsonDocument reply = fixture.run(update);
      int done = reply.getInt32("nModified").getValue();
      assertThat(done).isBetween(20, 45); // 400 units, some ten for each
      assertThat(reply.getInt32("n").getValue()).isEqualTo(done);
      assertThat(reply.getArray("writeErrors")).hasSize(1);
      assertThat(reply.toJson()).contains("\"code\": 16500");
      fixture.advanceMillis(10_000);
      assertThat(fixture.must("{count: 'a', query: {x: 1}}").getInt32("n").getValue())
          .isEqualTo(done);
      fixture.commands.run("{setParameter: 1, cosmosRulesOff: 'multi-updates', $db: 'admin'}");
      fixture.advanceMillis(10_000);
      assertThat(fixture.must(update).getInt32("nModified").getValue()).isEqualTo(100 - done);
    }
  }

  @Test
  void aRefusedCommandCostsNothingAndSaysWhenToComeAgain() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      String big = "{insert: 'a', documents: [{_id: 1, x: '" + "x".repeat(900_000) + "'}]}";
      fixture.must(big); // dearer than a second's worth: it runs and leaves a debt
      double charge = fixture.charge();
      assertThat(charge).isGreaterThan(400);
      String error = fixture.error("{find: 'a', filter: {_id: 1}}");
      assertThat(error)
          .startsWith("16500 RequestRateTooLarge: Error=16500, RetryAfterMs=")
          .contains(
              "Details='Response status code does not indicate success: TooManyRequests (429);"
                  + " Substatus: 3200; ActivityId: ")
          .contains("Request rate is large. More Request Units may be needed");
      assertThat(fixture.charge()).isEqualTo(charge);
      Matcher matcher = RETRY.matcher(error);
      assertThat(matcher.find()).isTrue();
      fixture.advanceMillis(Long.parseLong(matcher.group(1)));
      fixture.must("{find: 'a', filter: {_id: 1}}");
    }
  }

  @Test
  void joinsAskAndPayTheCollectionsThatTheyRead() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{customAction: 'CreateCollection', collection: 'own', offerThroughput: 400}");
      fixture.must("{insert: 'own', documents: [{_id: 1, a: 1}]}");
      fixture.advanceMillis(10_000);
      for (String stage :
          List.of(
              "{$lookup: {from: 'foreign', localField: 'a', foreignField: '_id', as: 'x'}}",
              "{$unionWith: 'foreign'}",
              "{$graphLookup: {from: 'foreign', startWith: '$a', connectFromField: 'b',"
                  + " connectToField: '_id', as: 'x'}}",
              "{$facet: {f: [{$lookup: {from: 'foreign', pipeline: [], as: 'x'}}]}}")) {
        String join = "{aggregate: 'own', pipeline: [%s], cursor: {}}".formatted(stage);
        fixture.run("{drop: 'foreign'}");
        fixture.must(
            "{customAction: 'CreateCollection', collection: 'foreign', offerThroughput: 400}");
        fixture.must(
            "{insert: 'foreign', documents: [{_id: 1, b: 1, x: '" + "x".repeat(100_000) + "'}]}");
        fixture.advanceMillis(10_000);
        fixture.must("{aggregate: 'own', pipeline: [], cursor: {}}");
        double alone = fixture.charge();
        double before = spent(fixture, "foreign");
        fixture.must(join);
        assertThat(fixture.charge()).as(stage).isGreaterThan(alone + 2);
        assertThat(spent(fixture, "foreign")).as(stage).isGreaterThan(before + 2);
        fixture.must(
            "{insert: 'foreign', documents: [{_id: 2, x: '" + "x".repeat(900_000) + "'}]}");
        assertThat(fixture.error(join)).as(stage).startsWith("16500 RequestRateTooLarge");
        fixture.must("{aggregate: 'own', pipeline: [], cursor: {}}");
        fixture.advanceMillis(10_000);
      }
    }
  }

  private static double spent(CosmosFixture fixture, String collection) {
    return fixture
        .must("{ruStatistics: '" + collection + "'}")
        .getNumber("requestCharge")
        .doubleValue();
  }

  @Test
  void aHotKeyThrottlesItsOwnPartitionAlone() {
    try (var fixture = new CosmosFixture(directory, new Provisioning(200, false))) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k',"
              + " offerThroughput: 800}");
      int hot = partitionOf(fixture, 0);
      int cold = 1;
      while (partitionOf(fixture, cold) == hot) {
        cold++;
      }
      int id = 0;
      while (!fixture
          .run("{insert: 'a', documents: [{_id: %d, k: 0}]}".formatted(id++))
          .containsKey("writeErrors")) {
        assertThat(id).isLessThan(1000);
      }
      fixture.must("{insert: 'a', documents: [{_id: 1, k: %d}]}".formatted(cold));
      fixture.must("{find: 'a', filter: {k: %d, _id: 1}}".formatted(cold));
      BsonDocument report = fixture.must("{ruStatistics: 'a'}");
      BsonDocument partition =
          report.getArray("partitions").stream()
              .map(one -> one.asDocument())
              .filter(one -> one.getInt32("id").getValue() == hot)
              .findFirst()
              .orElseThrow();
      assertThat(partition.getInt64("refused").getValue()).isEqualTo(1);
      assertThat(partition.getDouble("balance").getValue()).isNotPositive();
    }
  }

  private static int partitionOf(CosmosFixture fixture, int key) {
    return fixture.must("{partitionOf: 'a', key: " + key + "}").getInt32("partition").getValue();
  }

  @Test
  void burstCapacityIsSavedForFiveMinutesAndSpentAtThreeThousand() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{customAction: 'CreateCollection', collection: 'a', offerThroughput: 400}");
      assertThat(spentInASecond(fixture, 0)).isCloseTo(800, within(40.0));
      fixture.must("{setParameter: 1, burstCapacity: true, $db: 'admin'}");
      fixture.advanceMillis(300_000);
      assertThat(spentInASecond(fixture, 10_000)).isCloseTo(3_400, within(100.0));
      fixture.must("{setParameter: 1, burstCapacity: false, $db: 'admin'}");
      fixture.advanceMillis(300_000);
      assertThat(spentInASecond(fixture, 20_000)).isCloseTo(800, within(40.0));
    }
  }

  /** Hammers for a second; what can be spent is the balance that is there and what comes in. */
  private static double spentInASecond(CosmosFixture fixture, int firstId) {
    double spent = 0;
    int id = firstId;
    for (int milli = 0; milli < 1_000; milli++) {
      while (true) {
        BsonDocument reply = fixture.run("{insert: 'a', documents: [{_id: %d}]}".formatted(id));
        if (reply.containsKey("writeErrors")) {
          break;
        }
        id++;
        spent += fixture.charge();
      }
      fixture.advanceMillis(1);
    }
    return spent;
  }

  @Test
  void anAutoscaleOfferStandsAtItsTenthWhenIdleAndFollowsTheLastSecond() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', autoScaleSettings: {maxThroughput:"
              + " 4000}}");
      assertThat(provisioned(fixture)).isEqualTo(400);
      fixture.advanceMillis(1_000);
      double spent = spentInASecond(fixture, 0);
      assertThat(spent).isCloseTo(8_000, within(400.0)); // all of it, and the first second's worth
      assertThat(provisioned(fixture)).isEqualTo(4_000);
      fixture.advanceMillis(1_000);
      assertThat(provisioned(fixture)).isEqualTo(400);
      fixture.advanceMillis(1_000);
      for (int i = 0; i < 160; i++) {
        fixture.must("{insert: 'a', documents: [{_id: 'x%d'}]}".formatted(i));
      }
      fixture.advanceMillis(1_000);
      assertThat(provisioned(fixture)).isBetween(790, 860);
    }
  }

  private static int provisioned(CosmosFixture fixture) {
    return fixture
        .must("{customAction: 'GetCollection', collection: 'a'}")
        .getNumber("provisionedThroughput")
        .intValue();
  }

  @Test
  void collectionsOfADatabaseShareItsUnits() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 400}");
      String big = "{insert: 'a', documents: [{_id: 1, x: '" + "x".repeat(900_000) + "'}]}";
      fixture.must(big);
      assertThat(fixture.run("{insert: 'b', documents: [{_id: 1}]}").toJson())
          .contains("Error=16500");
    }
  }
}
