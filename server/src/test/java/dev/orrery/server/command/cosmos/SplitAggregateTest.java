package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.throughput.Provisioning;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions that group their documents for themselves. */
class SplitAggregateTest {
  private static final int COUNT = 3_000;
  private static final String GROUP =
      "{$group: {_id: '$g', n: {$sum: 1}, total: {$sum: '$v'}, ids: {$push: '$_id'}}}";

  @TempDir Path directory;

  private CosmosFixture fixture;

  @BeforeEach
  void open() {
    fixture = CosmosFixture.extended(directory);
    fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}, numInitialChunks: 8}");
    fixture.must("{create: 'whole'}");
    fill("a", COUNT);
    fill("whole", COUNT);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void fill(String collection, int count) {
    fill(collection, 0, count);
  }

  private void fill(String collection, int from, int to) {
    var documents = new BsonArray();
    for (int i = from; i < to; i++) {
      documents.add(
          new BsonDocument("_id", new BsonInt32(i))
              .append("k", new BsonInt32(i))
              .append("g", new BsonString("g" + i % 7))
              .append("v", new BsonDouble(i / 10.0)));
    }
    var insert =
        new BsonDocument("insert", new BsonString(collection)).append("documents", documents);
    fixture.must(insert.toJson());
  }

  private static String aggregate(String stages) {
    return "{aggregate: 'a', cursor: {batchSize: 100000}, pipeline: [" + stages + "]}";
  }

  private BsonArray results(String stages) {
    return fixture.must(aggregate(stages)).getDocument("cursor").getArray("firstBatch");
  }

  @Test
  void groupsAreThoseOfOnePartitionAfterTheOther() {
    for (String stages :
        List.of(
            GROUP,
            "{$match: {v: {$gte: 50}}}, " + GROUP,
            "{$addFields: {g: {$mod: ['$v', 3]}}}, " + GROUP + ", {$sort: {_id: 1}}",
            "{$group: {_id: '$g', first: {$first: '$_id'}, last: {$lastN: {n: 3, input: '$_id'}},"
                + " top: {$topN: {n: 2, sortBy: {v: -1}, output: '$v'}}}}",
            "{$sortByCount: '$g'}",
            "{$count: 'n'}")) {
      long tasks = fixture.threads.getTaskCount();
      BsonArray split = results(stages);
      double charge = fixture.charge();
      assertThat(fixture.threads.getTaskCount()).as(stages).isGreaterThan(tasks);
      // A limit keeps it in one thread, and takes nothing away here.
      assertThat(split).as(stages).isEqualTo(results("{$limit: 1000000}, " + stages)).isNotEmpty();
      assertThat(charge).as(stages).isEqualTo(fixture.charge());
    }
  }

  @Test
  void partitionsThatSplitMeanwhileGiveAllOfTheirDocuments() {
    BsonArray before = results(GROUP + ", {$project: {n: 1}}, {$sort: {_id: 1}}");
    fixture.spareThreads =
        task -> {
          fixture.spareThreads = fixture.threads;
          fixture.must("{splitPartition: 'a', partition: 0}");
          fixture.must("{splitPartition: 'a', partition: 5}");
          fixture.threads.execute(task);
        };
    assertThat(results(GROUP + ", {$project: {n: 1}}, {$sort: {_id: 1}}")).isEqualTo(before);
    assertThat(fixture.partitions("a")).hasSize(10);
  }

  @Test
  void aCursorThatIsReadLaterGivesTheSame() {
    BsonArray before = results(GROUP);
    long id =
        fixture
            .must("{aggregate: 'a', cursor: {batchSize: 0}, pipeline: [" + GROUP + "]}")
            .getDocument("cursor")
            .getInt64("id")
            .getValue();
    BsonDocument more = fixture.must("{getMore: {$numberLong: '" + id + "'}, collection: 'a'}");
    assertThat(more.getDocument("cursor").getArray("nextBatch")).isEqualTo(before);
  }

  @Test
  void allPartsEndWhenTheOperationIsKilled() throws InterruptedException {
    fixture.commands.operations.opened(fixture.commands.connection);
    fixture.spareThreads =
        task -> {
          fixture.commands.operations.kill(each -> true, ErrorCode.INTERRUPTED);
          fixture.threads.execute(task);
        };
    assertThat(fixture.error(aggregate(GROUP)))
        .isEqualTo(
            "11601 Interrupted: PlanExecutor error during aggregation :: caused by :: operation"
                + " was interrupted");
    for (int i = 0; i < 500 && fixture.threads.getActiveCount() > 0; i++) {
      Thread.sleep(10); // a thread that has done its part is still active for a moment
    }
    assertThat(fixture.threads.getActiveCount()).isZero();
  }

  @Test
  void allPartsEndWhenTheTimeIsUp() {
    fixture.spareThreads =
        task -> {
          fixture.advanceMillis(2_000);
          fixture.threads.execute(task);
        };
    String limited = aggregate(GROUP).replace("cursor:", "maxTimeMS: 1000, cursor:");
    assertThat(fixture.error(limited))
        .isEqualTo(
            "50 MaxTimeMSExpired: PlanExecutor error during aggregation :: caused by :: operation"
                + " exceeded time limit");
  }

  @Test
  void explainShowsWhatPartitionsDoAndWhatIsMerged() {
    BsonDocument explained =
        fixture.must(
            "{explain: "
                + aggregate(
                    "{$match: {v: {$gte: 5}}}, {$set: {w: 1}}, {$group: {_id: '$g', n: {$sum:"
                        + " '$w'}, m: {$topN: {n: 2, sortBy: {v: 1}, output: '$v'}}}}, {$sort:"
                        + " {n: 1}}")
                + "}");
    assertThat(explained.getDocument("splitPipeline"))
        .isEqualTo(
            BsonDocument.parse(
                "{shardsPart: [{$match: {v: {$gte: 5}}}, {$set: {w: 1}}, {$group: {_id:"
                    + " '$g', n: {$sum: '$w'}, m: {$topN: {n: 2, sortBy: {v: 1}, output:"
                    + " '$v'}}}}], mergerPart: [{$group: {_id: '$$ROOT._id', n: {$sum:"
                    + " '$$ROOT.n'}, m: {$topN: {n: 2, sortBy: {v: 1}, output: '$$ROOT.m'}},"
                    + " $doingMerge: true}}, {$sort: {sortKey: {n: 1}}}]}"));
    assertThat(explained.getArray("stages")).hasSize(4);
  }

  @Test
  void explainCountsWhatAllPartsGave() {
    BsonArray stages =
        fixture
            .must(
                "{explain: "
                    + aggregate("{$unwind: '$g'}, " + GROUP)
                    + ", verbosity: 'executionStats'}")
            .getArray("stages");
    assertThat(stages)
        .extracting(stage -> stage.asDocument().getInt64("nReturned").getValue())
        .containsExactly(3_000L, 3_000L, 7L);
  }

  @Test
  void whatCannotBeDividedIsNot() {
    for (String stages :
        List.of(
            "{$limit: 2500}, " + GROUP,
            "{$sort: {v: 1}}, " + GROUP,
            "{$sample: {size: 2500}}, " + GROUP,
            "{$group: {_id: '$g', d: {$stdDevPop: '$v'}}}",
            "{$match: {k: 5}}, " + GROUP)) {
      BsonDocument explained = fixture.must("{explain: " + aggregate(stages) + "}");
      assertThat(explained.containsKey("splitPipeline")).as(stages).isFalse();
    }
    String whole = aggregate(GROUP).replace("'a'", "'whole'");
    assertThat(fixture.must("{explain: " + whole + "}").containsKey("splitPipeline")).isFalse();
  }

  @Test
  void whatIsSmallIsNotWorthAThread() {
    fixture.must("{shardCollection: 'shop.small', key: {k: 'hashed'}, numInitialChunks: 4}");
    fill("small", 1_000);
    String small = aggregate(GROUP).replace("'a'", "'small'");
    assertThat(fixture.must("{explain: " + small + "}").containsKey("splitPipeline")).isFalse();
    fixture.must(small);
    assertThat(fixture.threads.getTaskCount()).isZero();
  }

  @Test
  void aPartitionInDebtRefusesTheWholePipeline() {
    try (var limited =
        new CosmosFixture(directory.resolve("limited"), new Provisioning(200, false))) {
      fixture.close();
      fixture = limited; // which is closed twice, as it may be
      fixture.must(
          "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k', offerThroughput:"
              + " 800}");
      for (int i = 0; i < COUNT; i += 50) {
        fixture.advanceMillis(3_600_000);
        fill("a", i, i + 50);
      }
      assertThat(admitted(GROUP)).isEqualTo(admitted("{$limit: 1000000}, " + GROUP)).isPositive();
      assertThat(fixture.error(aggregate(GROUP)))
          .startsWith("16500 RequestRateTooLarge: Error=16500, RetryAfterMs=");
    }
  }

  /** How often in a row it runs before it is refused. */
  private int admitted(String stages) {
    fixture.advanceMillis(3_600_000);
    int count = 0;
    while (fixture.run(aggregate(stages)).containsKey("cursor")) {
      count++;
    }
    return count;
  }
}
