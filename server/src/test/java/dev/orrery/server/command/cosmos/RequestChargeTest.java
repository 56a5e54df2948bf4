package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.throughput.Consistency;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.server.throughput.Provisioning;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What requests cost, as the client of one connection sees it. */
class RequestChargeTest {
  @TempDir Path directory;

  @Test
  void theStatisticsHaveCosmosFieldsInTheirOrder() {
    try (var fixture = CosmosFixture.extended(directory)) {
      assertThat(fixture.answer("{getLastRequestStatistics: 1}"))
          .isEqualTo("{\"_t\": \"GetRequestStatisticsResponse\", \"ok\": 1.0}");
      fixture.must("{insert: 'a', documents: [{_id: 1}]}");
      BsonDocument reply = fixture.must("{getLastRequestStatistics: 1}");
      assertThat(reply.keySet())
          .containsExactly(
              "_t", "ok", "CommandName", "RequestCharge", "RequestDurationInMilliSeconds");
      assertThat(reply.getString("CommandName").getValue()).isEqualTo("insert");
      assertThat(reply.isDouble("RequestCharge")).isTrue();
      assertThat(reply.isInt64("RequestDurationInMilliSeconds")).isTrue();
      fixture.must("{ping: 1}");
      assertThat(fixture.must("{getLastRequestStatistics: 1}").getString("CommandName").getValue())
          .isEqualTo("insert");
    }
  }

  @Test
  void aReadByKeyIsCheaperThanAQueryAndAQueryPaysForEachPartition() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 4}");
      fixture.must("{insert: 'a', documents: [{_id: 1, k: 'x'}]}");
      fixture.must("{find: 'a', filter: {_id: 1, k: 'x'}}");
      assertThat(fixture.charge()).isEqualTo(1);
      fixture.must("{find: 'a', filter: {_id: 9, k: 'x'}}");
      assertThat(fixture.charge()).isEqualTo(1);
      fixture.must("{find: 'a', filter: {none: 1}}");
      assertThat(fixture.charge()).isCloseTo(4 * 52 / 21.0, within(0.1));
      fixture.must("{count: 'a'}");
      assertThat(fixture.charge()).isEqualTo(4 * 52 / 21.0);
      fixture.must("{count: 'a', query: {none: 1}}");
      assertThat(fixture.charge()).isCloseTo(4 * 52 / 21.0, within(0.1));
    }
  }

  @Test
  void strongConsistencyDoublesThePriceOfReadsAndOfNothingElse() {
    var provisioning = new Provisioning(Provisioning.PARTITION_UNITS, CosmosRules.extended());
    try (var fixture = new CosmosFixture(directory, provisioning)) {
      for (Consistency level : Consistency.values()) {
        provisioning.rules().setConsistency(level);
        boolean isDear = level == Consistency.STRONG || level == Consistency.BOUNDED_STALENESS;
        int times = isDear ? 2 : 1;
        fixture.must("{insert: 'a', documents: [{_id: '%s'}]}".formatted(level));
        assertThat(fixture.charge()).as("insert, %s", level).isEqualTo((104 + 4) / 21.0);
        fixture.must("{find: 'a', filter: {_id: '%s'}}".formatted(level));
        assertThat(fixture.charge()).as("point read, %s", level).isEqualTo(times);
        fixture.must("{count: 'a'}");
        assertThat(fixture.charge()).as("count, %s", level).isEqualTo(times * 52 / 21.0);
      }
    }
  }

  @Test
  void aDeletePaysForUniqueIndexesToo() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{createIndexes: 'a', indexes: [{key: {v: 1}, name: 'v', unique: true}]}");
      fixture.must("{createIndexes: 'b', indexes: [{key: {v: 1}, name: 'v'}]}");
      double plain = deletion(fixture, "b");
      assertThat(deletion(fixture, "a")).isCloseTo(plain + 2 / 21.0, within(1e-9));
    }
  }

  private static double deletion(CosmosFixture fixture, String collection) {
    fixture.must("{insert: '%s', documents: [{_id: 1, v: 5}]}".formatted(collection));
    fixture.must("{delete: '%s', deletes: [{q: {_id: 1}, limit: 1}]}".formatted(collection));
    return fixture.charge();
  }

  /** One result costs 52 for the partition, 15 for the document and 1 for loading it. */
  @Test
  void onlyAReadOfOnePrimaryKeyIsAPointRead() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{createIndexes: 'a', indexes: [{key: {v: 1}, name: 'v_1'}]}");
      fixture.must("{insert: 'a', documents: [{_id: 1, v: 5}, {_id: 2}]}");
      fixture.must("{find: 'a', filter: {_id: 1}, projection: {v: 1}}");
      assertThat(fixture.charge()).isEqualTo(1);
      fixture.must("{find: 'a', filter: {v: 5}}");
      assertThat(fixture.charge()).isEqualTo(68 / 21.0);
      fixture.must("{find: 'a', filter: {_id: {$in: [1, 9]}}}");
      assertThat(fixture.charge()).isEqualTo(68 / 21.0);
      fixture.must("{find: 'a', filter: {v: 6}}");
      assertThat(fixture.charge()).isEqualTo(52 / 21.0);
    }
  }

  @Test
  void aReadByIdAloneIsAQueryWhereTheKeyIsAnother() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 4}");
      for (int i = 0; i < 20; i++) { // so that there is one in the first partition
        fixture.must("{insert: 'a', documents: [{_id: 1, k: %d}]}".formatted(i));
      }
      fixture.must("{find: 'a', filter: {_id: 1}, limit: 1}");
      assertThat(fixture.charge()).isEqualTo(68 / 21.0);
    }
  }

  @Test
  void manyWritesInOneRequestGetNoDiscount() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{insert: 'a', documents: [{_id: 1}]}");
      double one = fixture.charge();
      fixture.must("{insert: 'a', documents: [{_id: 2}, {_id: 3}, {_id: 4}]}");
      assertThat(fixture.charge()).isEqualTo(3 * one, within(1e-9));
      fixture.must("{update: 'a', updates: [{q: {_id: 1}, u: {$set: {x: 1}}}]}");
      assertThat(fixture.charge()).isGreaterThan(2 * 104 / 21.0);
      fixture.must("{delete: 'a', deletes: [{q: {_id: 1}, limit: 1}]}");
      assertThat(fixture.charge()).isCloseTo(1 + one, within(0.5));
    }
  }

  @Test
  @Tag("embedded") // others read by pages, which the batch pays that needs the first document
  void everyBatchOfACursorIsPaidForItself() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{insert: 'a', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}]}");
      BsonDocument first = fixture.must("{find: 'a', filter: {}, batchSize: 2}");
      double firstCharge = fixture.charge();
      long id = first.getDocument("cursor").getInt64("id").getValue();
      fixture.must("{getMore: {$numberLong: '" + id + "'}, collection: 'a', batchSize: 2}");
      assertThat(fixture.charge()).isEqualTo(firstCharge);
    }
  }

  @Test
  void totalsAreKeptByPartitionKeyCommandAndComment() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 4}");
      for (int i = 0; i < 8; i++) {
        fixture.must(
            "{insert: 'a', documents: [{_id: %d, k: 'hot'}], comment: 'nightly'}".formatted(i));
      }
      fixture.must("{insert: 'a', documents: [{_id: 1, k: 'cold'}]}");
      BsonDocument of = fixture.must("{ruStatistics: 'a'}");
      assertThat(of.getArray("keys").get(0).asDocument().getString("key").getValue())
          .isEqualTo("hot");
      double sum =
          of.getArray("partitions").stream()
              .mapToDouble(one -> one.asDocument().getDouble("requestCharge").getValue())
              .sum();
      assertThat(sum).isCloseTo(of.getDouble("requestCharge").getValue(), within(1e-6));
      BsonDocument all = fixture.must("{ruStatistics: 1}");
      assertThat(all.getArray("commands").get(0).asDocument().getString("name").getValue())
          .isEqualTo("insert");
      assertThat(all.getArray("comments").get(0).asDocument().getString("name").getValue())
          .isEqualTo("nightly");
    }
  }
}
