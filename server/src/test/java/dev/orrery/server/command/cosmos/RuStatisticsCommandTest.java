package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What requests cost, told by what they were and when. */
class RuStatisticsCommandTest {
  @TempDir Path directory;

  private static BsonDocument named(BsonArray list, String name) {
    return list.stream()
        .map(BsonValue::asDocument)
        .filter(one -> one.getString("name").getValue().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not in " + list));
  }

  @Test
  void requestsThatDifferInTheirValuesOnlyAreOneShape() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{insert: 'a', documents: [{_id: 1, k: 1, n: 5}]}");
      fixture.must("{find: 'a', filter: {k: 1, n: {$gt: 5}}, sort: {n: -1}}");
      double one = fixture.charge();
      fixture.must("{find: 'a', filter: {k: 'x', n: {$gt: 7}}, sort: {n: -1}}");
      fixture.must("{find: 'a', filter: {k: {$in: [1, 2, 3]}}}");
      fixture.must("{find: 'a', filter: {k: {$in: [4]}}}");
      fixture.must("{update: 'a', updates: [{q: {_id: 1}, u: {$set: {z: 1}}}]}");
      fixture.must("{aggregate: 'a', pipeline: [{$match: {k: 1}}, {$limit: 3}], cursor: {}}");

      BsonArray shapes = fixture.must("{ruStatistics: 1}").getArray("shapes");
      BsonDocument range = named(shapes, "find a filter {k: ?, n: {$gt: ?}} sort {n: -1}");
      assertThat(range.getInt64("requests").getValue()).isEqualTo(2);
      assertThat(range.getDouble("requestCharge").getValue()).isGreaterThanOrEqualTo(one);
      assertThat(named(shapes, "find a filter {k: {$in: [?]}}").getInt64("requests").getValue())
          .isEqualTo(2);
      named(shapes, "update a q {_id: ?}");
      named(shapes, "insert a");
      named(shapes, "aggregate a pipeline [{$match: {k: ?}}, {$limit: ?}]");
    }
  }

  @Test
  void theWindowIsAsLongAsTheCallerSays() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{insert: 'a', documents: [{_id: 1}]}");
      double early = fixture.charge();
      fixture.advanceMillis(10_000);
      fixture.must("{insert: 'a', documents: [{_id: 2}], comment: 'nightly'}");
      double late = fixture.charge();

      assertThat(window(fixture.must("{ruStatistics: 'a', seconds: 5}"))).isEqualTo(late);
      assertThat(window(fixture.must("{ruStatistics: 'a'}"))).isEqualTo(early + late);
      BsonDocument all = fixture.must("{ruStatistics: 1, seconds: 5}");
      assertThat(window(named(all.getArray("commands"), "insert"))).isEqualTo(late);
      assertThat(window(named(all.getArray("comments"), "nightly"))).isEqualTo(late);
      assertThat(fixture.error("{ruStatistics: 'a', seconds: 61}"))
          .isEqualTo("2 BadValue: 'seconds' must be between 1 and 60, found: 61");
    }
  }

  /** Eight keys in turns: were every eighth or sixty-fourth counted, one key would have it all. */
  @Test
  void ofManyDocumentsSomeStandForAllButPartitionsStayExact() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 4}");
      fixture.must(insertOf(0, 800));
      assertThat(ofKeys(fixture)).containsOnly(fixture.charge() / 8).hasSize(8);
      double all = fixture.charge();
      for (int i = 1; i <= 20; i++) {
        fixture.must(insertOf(i * 800, 800));
        all += fixture.charge();
      }
      BsonDocument report = fixture.must("{ruStatistics: 'a'}");
      assertThat(report.getDouble("requestCharge").getValue()).isCloseTo(all, offset(0.001));
      assertThat(sum(report.getArray("partitions"))).isCloseTo(all, offset(0.001));
      double share = all / 8;
      assertThat(ofKeys(fixture))
          .hasSize(8)
          .allMatch(one -> one > share * 0.8 && one < share * 1.2);
    }
  }

  /** An engine that asks to try again is asked, and counted, twice. */
  @Tag("embedded")
  @Test
  void anInsertOfManyDocumentsIsOneRequestToEachPartition() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 4}");
      fixture.must(insertOf(0, 800));
      assertThat(fixture.must("{ruStatistics: 'a'}").getArray("partitions"))
          .extracting(part -> part.asDocument().getInt64("requests").getValue())
          .containsExactly(0L, 1L, 1L, 1L); // eight keys leave one without any
    }
  }

  private static String insertOf(int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(i -> "{_id: %d, k: %d}".formatted(i, i % 8))
        .collect(Collectors.joining(", ", "{insert: 'a', documents: [", "]}"));
  }

  private static List<Double> ofKeys(CosmosFixture fixture) {
    return fixture.must("{ruStatistics: 'a'}").getArray("keys").stream()
        .map(key -> key.asDocument().getDouble("requestCharge").getValue())
        .toList();
  }

  private static double sum(BsonArray parts) {
    return parts.stream()
        .mapToDouble(part -> part.asDocument().getDouble("requestCharge").getValue())
        .sum();
  }

  private static double window(BsonDocument report) {
    return report.getDocument("window").getDouble("requestCharge").getValue();
  }

  @Test
  void aHotKeyIsNamedInTheReportAndOnceAMinuteInTheLog() {
    var appender = new ListAppender<ILoggingEvent>();
    appender.start();
    var logger = (Logger) LoggerFactory.getLogger("dev.orrery.server.throughput.HotSpots");
    logger.addAppender(appender);
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {day: 'hashed'}, numInitialChunks: 4}");
      for (int i = 0; i < 400; i++) {
        fixture.advanceMillis(250);
        fixture.must("{insert: 'a', documents: [{_id: %d, day: 'May 1'}]}".formatted(i));
      }
      BsonDocument hot = fixture.must("{ruStatistics: 'a'}").getDocument("hot");
      assertThat(hot.getString("key").getValue()).isEqualTo("May 1");
      assertThat(hot.getDouble("keyShare").getValue()).isGreaterThan(0.9);
      assertThat(appender.list)
          .singleElement()
          .extracting(ILoggingEvent::getFormattedMessage)
          .asString()
          .startsWith("hot partition: shop.a spent 100 % of its request units")
          .endsWith("on the partition key \"May 1\"");
    } finally {
      logger.detachAppender(appender);
    }
  }

  @Test
  void explainTellsThePriceThePartitionsAndTheIndexes() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 4}");
      fixture.must("{createIndexes: 'a', indexes: [{key: {n: 1}, name: 'byN'}]}");
      for (int i = 0; i < 20; i++) {
        fixture.must("{insert: 'a', documents: [{_id: %d, k: %d, n: %d}]}".formatted(i, i, i));
      }
      requireSamePrice(fixture, "{find: 'a', filter: {n: {$gte: 10}}}", 4, "byN");
      requireSamePrice(fixture, "{find: 'a', filter: {k: 3, n: 3}}", 1, "byN");
      requireSamePrice(fixture, "{find: 'a', filter: {_id: 3, k: 3}}", 1, "_id_");
      requireSamePrice(fixture, "{find: 'a', filter: {x: 1}}", 4, null);
      String match = "{aggregate: 'a', pipeline: [{$match: {n: {$gte: 10}}}], cursor: {}}";
      requireSamePrice(fixture, match, 4, "byN");
    }
  }

  private static void requireSamePrice(
      CosmosFixture fixture, String find, int partitions, String index) {
    fixture.must(find);
    double charge = fixture.charge();
    BsonDocument statistics =
        fixture
            .must("{explain: " + find + ", verbosity: 'executionStats'}")
            .getDocument("executionStats");
    assertThat(statistics.getDouble("requestCharge").getValue()).isEqualTo(charge);
    assertThat(statistics.getInt32("partitionsVisited").getValue()).isEqualTo(partitions);
    assertThat(statistics.getArray("indexesUsed").toString())
        .contains(index == null ? "[]" : index);
    assertThat(fixture.must("{explain: " + find + ", verbosity: 'queryPlanner'}"))
        .doesNotContainKey("executionStats");
  }
}
