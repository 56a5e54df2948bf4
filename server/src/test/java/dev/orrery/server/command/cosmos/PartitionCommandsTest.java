package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionCommandsTest {
  @TempDir Path directory;

  @Test
  void partitionsAreListedWithRangesSharesAndCounts() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k',"
              + " offerThroughput: 20000}");
      fixture.must("{insert: 'a', documents: [{_id: 1, k: 5}, {_id: 2, k: 5}]}");
      List<BsonDocument> partitions =
          fixture.partitions("a").stream().map(BsonValue::asDocument).toList();
      assertThat(partitions)
          .extracting(one -> one.getString("minInclusive").getValue())
          .containsExactly("", "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
      BsonDocument first = partitions.get(0);
      assertThat(first.keySet())
          .containsExactly(
              "id",
              "minInclusive",
              "maxExclusive",
              "parents",
              "status",
              "documents",
              "bytes",
              "keys",
              "largestKey",
              "throughputFraction",
              "throughput");
      assertThat(first.getInt64("documents").getValue()).isEqualTo(2);
      assertThat(first.getInt64("keys").getValue()).isEqualTo(1);
      assertThat(first.getInt64("throughput").getValue()).isEqualTo(10_000);
    }
  }

  @Test
  void aKeyIsFoundInThePartitionOfItsHash() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 2}");
      fixture.must("{insert: 'a', documents: [{_id: 1, k: 5}]}");
      String byKey = fixture.answer("{partitionOf: 'a', key: 5}");
      assertThat(byKey)
          .contains("\"epk\": \"19C08621B135968252FB34B4CF66F811\"", "\"partition\": 0")
          .contains("\"documents\": 1");
      assertThat(fixture.answer("{partitionOf: 'a', document: {k: 5.0}}")).isEqualTo(byKey);
      assertThat(fixture.answer("{partitionOf: 'a'}")).contains("11622DAA78F835834610ABE56EFF5CB5");
    }
  }

  @Test
  void aSplitMakesTwoChildrenThatNameTheirParentAndKeepAllDocuments() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}}");
      for (int i = 0; i < 20; i++) {
        fixture.must("{insert: 'a', documents: [{_id: %d, k: %d}]}".formatted(i, i));
      }
      assertThat(fixture.must("{splitPartition: 'a', partition: 0}").get("children"))
          .hasToString("BsonArray{values=[BsonInt32{value=1}, BsonInt32{value=2}]}");
      assertThat(fixture.partitions("a"))
          .extracting(one -> one.asDocument().getArray("parents").size())
          .containsExactly(1, 1);
      assertThat(fixture.must("{count: 'a'}").getInt32("n").getValue()).isEqualTo(20);
      assertThat(fixture.error("{splitPartition: 'a', partition: 0}"))
          .isEqualTo("2 BadValue: there is no partition 0 in shop.a");
      assertThat(fixture.error("{splitPartition: 'a', partition: 1, at: 'nonsense'}"))
          .startsWith("2 BadValue: 'at' is not an effective partition key");
      fixture.must("{insert: 'plain', documents: [{_id: 1}]}");
      assertThat(fixture.error("{splitPartition: 'plain', partition: 0}"))
          .isEqualTo("118 NamespaceNotSharded: Namespace shop.plain is not sharded");
    }
  }

  @Test
  void theLargestKeyOfAPartitionIsShownWithItsValue() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}}");
      assertThat(fixture.partitions("a").get(0).asDocument()).doesNotContainKey("largestKey");
      fixture.must(
          "{insert: 'a', documents: [{_id: 1, k: 'x'}, {_id: 2, k: 'yy'}, {_id: 3, k: 'yy'}]}");
      assertThat(fixture.partitions("a").get(0).asDocument().getDocument("largestKey").toJson())
          .isEqualTo("{\"key\": \"yy\", \"documents\": 2, \"bytes\": 48}");
    }
  }

  @Test
  void twoNeighboursAreMergedIntoOneThatNamesBoth() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 3}");
      for (int i = 0; i < 30; i++) {
        fixture.must("{insert: 'a', documents: [{_id: %d, k: %d}]}".formatted(i, i));
      }
      assertThat(fixture.error("{mergePartitions: 'a', partitions: [0, 2]}"))
          .isEqualTo(
              "2 BadValue: cannot merge the partitions 0 and 2, whose ranges are not adjacent");
      assertThat(fixture.error("{mergePartitions: 'a', partitions: [0]}"))
          .isEqualTo("2 BadValue: 'partitions' must be an array of two partition numbers");
      assertThat(fixture.answer("{mergePartitions: 'a', partitions: [1, 0]}"))
          .isEqualTo("{\"partition\": 3, \"ok\": 1.0}");
      assertThat(fixture.partitions("a"))
          .extracting(one -> one.asDocument().getArray("parents").toString())
          .containsExactly(
              "BsonArray{values=[BsonInt32{value=0}, BsonInt32{value=1}]}", "BsonArray{values=[]}");
      assertThat(fixture.must("{count: 'a'}").getInt32("n").getValue()).isEqualTo(30);
      fixture.must("{insert: 'plain', documents: [{_id: 1}]}");
      assertThat(fixture.error("{mergePartitions: 'plain', partitions: [0, 1]}"))
          .isEqualTo("118 NamespaceNotSharded: Namespace shop.plain is not sharded");
    }
  }

  @Test
  void sharesAreKeptExactlyWhenPartitionsSplitAndMerge() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k',"
              + " offerThroughput: 20000}");
      fixture.must("{setPartitionThroughput: 'a', partitions: [{id: 0, throughput: 4001}]}");
      assertThat(fixture.error("{mergePartitions: 'a', partitions: [0, 1]}"))
          .isEqualTo(
              "20 IllegalOperation: cannot merge partitions: 20000 RU/s need at least 2 of them");
      fixture.must("{splitPartition: 'a', partition: 0}");
      assertThat(shares(fixture)).containsExactly(2_000L, 2_001L, 10_000L);
      fixture.must("{mergePartitions: 'a', partitions: [2, 3]}");
      assertThat(shares(fixture)).containsExactly(4_001L, 10_000L);
    }
  }

  private static List<Long> shares(CosmosFixture fixture) {
    return fixture.partitions("a").stream()
        .map(one -> one.asDocument().getInt64("throughput").getValue())
        .toList();
  }

  @Test
  void neitherASplitNorAMergeMakesUnits() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k',"
              + " offerThroughput: 400}");
      while (fixture.run("{insert: 'a', documents: [{k: 1}]}").containsKey("n")
          && balances(fixture) > 0) {
        assertThat(fixture.charge()).isPositive();
      }
      double debt = balances(fixture);
      fixture.must("{splitPartition: 'a', partition: 0}");
      assertThat(balances(fixture)).isCloseTo(debt, within(0.001));
      fixture.must("{mergePartitions: 'a', partitions: [1, 2]}");
      assertThat(balances(fixture)).isCloseTo(debt, within(0.001));
    }
  }

  private static double balances(CosmosFixture fixture) {
    return fixture.must("{ruStatistics: 'a'}").getArray("partitions").stream()
        .map(BsonValue::asDocument)
        .filter(one -> one.containsKey("balance"))
        .mapToDouble(one -> one.getDouble("balance").getValue())
        .sum();
  }

  @Test
  void aPartitionCanBeGivenAShareOfItsOwn() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k',"
              + " offerThroughput: 20000}");
      fixture.must("{setPartitionThroughput: 'a', partitions: [{id: 0, throughput: 2000}]}");
      assertThat(fixture.partitions("a"))
          .extracting(one -> one.asDocument().getInt64("throughput").getValue())
          .containsExactly(2_000L, 10_000L);
      assertThat(
              fixture.error(
                  "{setPartitionThroughput: 'a', partitions: [{id: 0, throughput: 10001}]}"))
          .startsWith("2 BadValue: the throughput of a partition must be between 100 and 10000");
      fixture.must("{setPartitionThroughput: 'a', partitions: []}");
      assertThat(fixture.partitions("a"))
          .extracting(one -> one.asDocument().getInt64("throughput").getValue())
          .containsExactly(10_000L, 10_000L);
    }
  }

  @Test
  void theConfigDatabaseShowsPartitionsAsChunks() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 3}");
      assertThat(documents(fixture, "{find: 'version', $db: 'config'}")).hasSize(1);
      assertThat(documents(fixture, "{find: 'shards', sort: {_id: 1}, $db: 'config'}")).hasSize(1);
      assertThat(documents(fixture, "{find: 'databases', $db: 'config'}"))
          .extracting(one -> one.asDocument().getString("_id").getValue())
          .containsExactly("shop");
      BsonDocument collection =
          documents(fixture, "{find: 'collections', filter: {_id: /^shop\\./}, $db: 'config'}")
              .get(0)
              .asDocument();
      assertThat(collection.getDocument("key").toJson()).isEqualTo("{\"k\": \"hashed\"}");
      assertThat(documents(fixture, "{find: 'chunks', sort: {min: 1}, limit: 2, $db: 'config'}"))
          .extracting(one -> one.asDocument().getInt32("partition").getValue())
          .containsExactly(0, 1);
    }
  }

  private static List<BsonValue> documents(CosmosFixture fixture, String find) {
    return fixture.must(find).getDocument("cursor").getArray("firstBatch").getValues();
  }

  /** The clock moves by 1 ms whenever it is read, which is after every 64 documents. */
  @Test
  void splitsAndMergesEndWhenTheirTimeIsUp() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}}");
      var documents =
          IntStream.range(0, 2_000)
              .mapToObj(i -> "{_id: %d, k: %d}".formatted(i, i))
              .collect(Collectors.joining(","));
      fixture.must("{insert: 'a', documents: [" + documents + "]}");
      fixture.commands.nanosPerReading = 1_000_000;
      assertThat(fixture.error("{splitPartition: 'a', partition: 0, maxTimeMS: 20}"))
          .isEqualTo("50 MaxTimeMSExpired: operation exceeded time limit");
      assertThat(fixture.partitions("a")).hasSize(1);

      fixture.must("{splitPartition: 'a', partition: 0, maxTimeMS: 20000}");
      assertThat(fixture.error("{mergePartitions: 'a', partitions: [1, 2], maxTimeMS: 20}"))
          .startsWith("50 ");
      assertThat(
              fixture.error(
                  "{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 40000,"
                      + " maxTimeMS: 20}"))
          .startsWith("50 ");
      assertThat(fixture.partitions("a")).hasSizeLessThan(4);
    }
  }
}
