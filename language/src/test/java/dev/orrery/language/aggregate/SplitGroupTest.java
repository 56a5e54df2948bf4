package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Groups of parts that are merged are the groups of the whole. */
class SplitGroupTest {
  private static final Namespace ITEMS = new Namespace("shop", "items");

  private static final List<String> ACCUMULATORS =
      List.of(
          "{$sum: '$v'}",
          "{$sum: '$d'}",
          "{$avg: '$v'}",
          "{$avg: '$i'}",
          "{$min: '$v'}",
          "{$max: '$v'}",
          "{$first: '$v'}",
          "{$last: '$v'}",
          "{$push: '$v'}",
          "{$push: {v: '$v', i: '$i'}}",
          "{$addToSet: '$v'}",
          "{$mergeObjects: '$o'}",
          "{$count: {}}",
          "{$firstN: {n: 3, input: '$v'}}",
          "{$lastN: {n: 3, input: '$v'}}",
          "{$minN: {n: 3, input: '$v'}}",
          "{$maxN: {n: 3, input: '$v'}}",
          "{$top: {sortBy: {i: 1}, output: '$_id'}}",
          "{$topN: {n: 4, sortBy: {i: -1}, output: ['$_id', '$v']}}",
          "{$bottom: {sortBy: {i: 1}, output: '$_id'}}",
          "{$bottomN: {n: 4, sortBy: {v: 1}, output: '$_id'}}",
          "{$median: {input: '$i', method: 'approximate'}}",
          "{$percentile: {input: '$v', p: [0.2, 0.9], method: 'approximate'}}");

  private static final List<String> KEYS =
      List.of("null", "'$k'", "{a: '$k', b: '$s'}", "'$_id'", "{$mod: ['$i', 3]}", "'$v'");

  private static final List<String> BEFORE =
      List.of(
          "",
          "{$match: {i: {$lt: 40}}}, ",
          "{$addFields: {v: {$ifNull: ['$v', '$s']}}}, ",
          "{$unwind: {path: '$l', preserveNullAndEmptyArrays: true}}, {$set: {v: '$l'}}, ",
          "{$match: {s: 'b'}}, {$project: {i: 1, v: 1, k: '$s', o: 1, d: 1, s: 1}}, ",
          "{$redact: {$cond: [{$gt: ['$i', 20]}, '$$KEEP', '$$PRUNE']}}, ");

  private final HeapSpills temporary = new HeapSpills();

  private final ExecutorService threads =
      new ThreadPoolExecutor(0, 3, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
  private final MemoryCollections collections = new MemoryCollections();

  @AfterEach
  void stop() throws InterruptedException {
    threads.shutdown();
    assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
  }

  private List<BsonDocument> run(String stages, int parts, PipelineRun.Spill spill) {
    collections.divide(parts, threads);
    return collections.run(ITEMS, stages, spill);
  }

  private PipelineRun.Spill inMemory() {
    return new PipelineRun.Spill(temporary, false);
  }

  private void fill(Random random, int count) {
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < count; i++) {
      var list = new BsonArray();
      random.ints(random.nextInt(3), 0, 9).forEach(one -> list.add(new BsonInt32(one)));
      documents.add(
          new BsonDocument("_id", new BsonInt32(i))
              .append("i", new BsonInt32(random.nextInt(60)))
              .append("k", number(random, 8))
              .append("s", new BsonString(List.of("a", "b", "c").get(random.nextInt(3))))
              .append("d", new BsonDouble(random.nextInt(2_000_000) / 1000.0 - 1000))
              .append("v", value(random))
              .append("l", list)
              .append("o", new BsonDocument("f" + random.nextInt(9), new BsonInt32(i))));
    }
    collections.put(ITEMS, documents);
  }

  /** Equal numbers of all types, so that it matters which one comes first. */
  private static BsonValue number(Random random, int bound) {
    int number = random.nextInt(bound);
    return switch (random.nextInt(4)) {
      case 0 -> new BsonInt32(number);
      case 1 -> new BsonInt64(number);
      case 2 -> new BsonDouble(number);
      default -> new BsonDecimal128(new Decimal128(BigDecimal.valueOf(number * 10L, 1)));
    };
  }

  private static BsonValue value(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> BsonNull.VALUE;
      case 1 -> BsonBoolean.valueOf(random.nextBoolean());
      case 2 -> new BsonString("s" + random.nextInt(5));
      default -> number(random, 30);
    };
  }

  private static String pipeline(Random random) {
    var group = new StringBuilder("_id: ").append(KEYS.get(random.nextInt(KEYS.size())));
    for (int i = random.nextInt(4); i >= 0; i--) {
      String accumulator = ACCUMULATORS.get(random.nextInt(ACCUMULATORS.size()));
      group.append(", f").append(i).append(": ").append(accumulator);
    }
    return "[" + BEFORE.get(random.nextInt(BEFORE.size())) + "{$group: {" + group + "}}]";
  }

  @Test
  void anyNumberOfPartsGivesTheSameGroupsInTheSameOrder() {
    var random = new Random(20261116);
    for (int round = 0; round < 40; round++) {
      fill(random, random.nextInt(400));
      for (int i = 0; i < 4; i++) {
        String stages = pipeline(random);
        var whole = run(stages, 1, inMemory());
        for (int parts : new int[] {4, 16}) {
          assertThat(run(stages, parts, inMemory())).as("%s of %s", parts, stages).isEqualTo(whole);
        }
      }
    }
  }

  @Test
  void partsThatSpillGiveTheSameGroups() throws IOException {
    var random = new Random(5);
    for (int round = 0; round < 8; round++) {
      fill(random, 600);
      for (int i = 0; i < 4; i++) {
        String stages = pipeline(random);
        var whole = run(stages, 1, inMemory());
        var tiny = new PipelineRun.Spill(temporary, true, 2_000 + random.nextInt(20_000));
        for (int parts : new int[] {4, 16}) {
          assertThat(run(stages, parts, tiny))
              .as("%s of %s in %s", parts, stages, tiny)
              .containsExactlyInAnyOrderElementsOf(whole);
        }
      }
      assertThat(temporary.count()).isZero();
    }
  }

  @Test
  void everyAccumulatorGivesTheSame() {
    fill(new Random(1), 500);
    for (String accumulator : ACCUMULATORS) {
      for (String key : KEYS) {
        String stages = "[{$group: {_id: " + key + ", r: " + accumulator + "}}]";
        assertThat(run(stages, 16, inMemory())).as(stages).isEqualTo(run(stages, 1, inMemory()));
      }
    }
  }

  @Test
  void stagesThatBecomeGroupsGiveTheSame() {
    fill(new Random(2), 500);
    for (String stages :
        List.of(
            "[{$count: 'n'}]",
            "[{$sortByCount: '$k'}]",
            "[{$bucket: {groupBy: '$i', boundaries: [0, 10, 50, 100]}}]",
            "[{$group: {_id: '$k', n: {$sum: 1}}}, {$group: {_id: '$n', all: {$push: '$_id'}}}]",
            "[{$group: {_id: '$k', d: {$stdDevPop: '$d'}, e: {$stdDevSamp: '$d'}}}]")) {
      assertThat(run(stages, 16, inMemory())).as(stages).isEqualTo(run(stages, 1, inMemory()));
    }
  }

  @Test
  void memoryIsLimitedForAllPartsTogether() {
    fill(new Random(3), 2_000);
    String stages = "[{$group: {_id: '$_id', all: {$push: '$s'}}}]";
    for (int parts : new int[] {1, 16}) {
      // Each of 16 parts would fit into it.
      assertThatThrownBy(() -> run(stages, parts, new PipelineRun.Spill(temporary, false, 300_000)))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("Exceeded memory limit for $group");
    }
    // Each of them has all eight groups, which fit once.
    String few = "[{$group: {_id: '$k', n: {$sum: 1}}}]";
    var spill = new PipelineRun.Spill(temporary, false, 3_000);
    assertThat(run(few, 16, spill)).isEqualTo(run(few, 1, spill));
  }

  @Test
  void theFirstFailureInOrderIsTheAnswer() {
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < 3_000; i++) {
      documents.add(
          new BsonDocument("_id", new BsonInt32(i))
              .append("v", i < 500 ? new BsonInt32(2) : new BsonString("no number"))
              .append("w", i < 400 ? new BsonInt32(2) : new BsonInt32(0)));
    }
    collections.put(ITEMS, documents);
    String stages =
        "[{$group: {_id: null, s: {$sum: {$add: ['$v', 1]}}, q: {$sum: {$divide: [1, '$w']}}}}]";
    for (int round = 0; round < 20; round++) {
      assertThatThrownBy(() -> run(stages, 16, inMemory()))
          .hasMessage(
              "PlanExecutor error during aggregation :: caused by :: can't $divide by zero");
    }
  }

  @Test
  void withoutSpareThreadsTheCallerDoesItAll() {
    fill(new Random(4), 500);
    String stages = "[{$group: {_id: '$k', all: {$push: '$_id'}}}]";
    var whole = run(stages, 1, inMemory());
    threads.shutdown();
    assertThatThrownBy(() -> threads.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(run(stages, 16, inMemory())).isEqualTo(whole);
  }
}
