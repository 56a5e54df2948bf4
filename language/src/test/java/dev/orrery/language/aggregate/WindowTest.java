package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** Windows over partitions that are large, and which documents belong to them. */
class WindowTest {
  private static final Namespace ITEMS = new Namespace("shop", "items");

  private final HeapSpills temporary = new HeapSpills();

  private final MemoryCollections collections = new MemoryCollections();

  private List<BsonDocument> run(String stages, PipelineRun.Spill spill) {
    return collections.run(ITEMS, stages, spill);
  }

  private PipelineRun.Spill inMemory() {
    return new PipelineRun.Spill(temporary, false);
  }

  private static String windows(String output) {
    return "[{$setWindowFields: {sortBy: {x: 1}, output: {" + output + "}}}]";
  }

  /** Documents in the order of x, which goes up by 0 to 3. */
  private int[] fill(Random random, int count) {
    var documents = new ArrayList<BsonDocument>();
    int[] sorted = new int[count];
    int x = -5;
    for (int i = 0; i < count; i++) {
      x += random.nextInt(4);
      sorted[i] = x;
      documents.add(
          new BsonDocument("_id", new BsonInt32(i))
              .append("x", new BsonInt32(x))
              .append("v", random.nextInt(5) == 0 ? BsonNull.VALUE : new BsonInt32(i * 7 % 50))
              .append("pad", new BsonString("p".repeat(50))));
    }
    collections.put(ITEMS, documents);
    return sorted;
  }

  private static String bounds(Integer lower, Integer upper) {
    return "["
        + (lower == null ? "'unbounded'" : lower)
        + ", "
        + (upper == null ? "'unbounded'" : upper)
        + "]";
  }

  private static BsonArray ids(IntStream places) {
    var ids = new BsonArray();
    places.forEach(place -> ids.add(new BsonInt32(place)));
    return ids;
  }

  @Test
  void windowsHaveTheDocumentsWithinTheirBounds() {
    var random = new Random(42);
    for (int round = 0; round < 150; round++) {
      int[] sorted = fill(random, random.nextInt(40));
      Integer lower = random.nextInt(5) == 0 ? null : (Integer) (random.nextInt(12) - 6);
      Integer upper = random.nextInt(5) == 0 ? null : (Integer) (random.nextInt(12) - 6);
      if (lower != null && upper != null && lower > upper) {
        upper = lower;
      }
      long from = lower == null ? Integer.MIN_VALUE : lower;
      long to = upper == null ? Integer.MAX_VALUE : upper;
      String window = bounds(lower, upper);
      var results =
          run(
              windows(
                  ("byPlace: {$push: '$_id', window: {documents: %s}},"
                          + " byValue: {$push: '$_id', window: {range: %s}}")
                      .formatted(window, window)),
              inMemory());
      for (int i = 0; i < sorted.length; i++) {
        int place = i;
        IntStream near = IntStream.range(0, sorted.length);
        IntStream close = IntStream.range(0, sorted.length);
        assertThat(results.get(i).get("byPlace"))
            .as("%s of %s in %s", window, i, sorted.length)
            .isEqualTo(ids(near.filter(j -> j - place >= from && j - place <= to)));
        long value = sorted[i];
        assertThat(results.get(i).get("byValue"))
            .as("%s of %s in %s", window, i, sorted)
            .isEqualTo(
                ids(close.filter(j -> sorted[j] - value >= from && sorted[j] - value <= to)));
      }
    }
  }

  @Test
  void everyFunctionGivesTheSameOnDisk() throws IOException {
    fill(new Random(1), 700);
    for (String function :
        List.of(
            "$sum: '$v', window: {documents: ['unbounded', 'current']}",
            "$avg: '$v', window: {range: [-20, 5]}",
            "$push: '$_id', window: {documents: [-3, 'current']}",
            "$addToSet: '$v', window: {range: ['current', 7]}",
            "$stdDevPop: '$v', window: {documents: [-9, 9]}",
            "$covariancePop: ['$x', '$v'], window: {documents: [-9, 9]}",
            "$topN: {n: 2, sortBy: {v: 1}, output: '$_id'}, window: {documents: [-6, 2]}",
            "$derivative: {input: '$_id'}, window: {documents: [-4, 0]}",
            "$integral: {input: '$_id'}, window: {documents: ['unbounded', 0]}",
            "$integral: {input: '$_id'}, window: {range: [-5, 5]}",
            "$expMovingAvg: {input: '$v', N: 3}",
            "$shift: {output: '$_id', by: -300, default: 'none'}",
            "$shift: {output: '$_id', by: 300}",
            "$locf: '$v'",
            "$rank: {}",
            "$denseRank: {}",
            "$documentNumber: {}")) {
      String stages = windows("r: {" + function + "}, n: {$documentNumber: {}}");
      assertThat(run(stages, new PipelineRun.Spill(temporary, true, 20_000)))
          .as(function)
          .isEqualTo(run(stages, inMemory()))
          .hasSize(700);
    }
    String fill = "[{$setWindowFields: {sortBy: {_id: 1}, output: {r: {$linearFill: '$v'}}}}]";
    assertThat(run(fill, new PipelineRun.Spill(temporary, true, 20_000)))
        .isEqualTo(run(fill, inMemory()));
    assertThat(temporary.count()).isZero();
  }

  @Test
  void documentsLargerThanABlockAreReadFromDisk() {
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < 30; i++) {
      int length = i % 3 == 0 ? 200_000 + i : 10;
      documents.add(
          new BsonDocument("_id", new BsonInt32(i))
              .append("x", new BsonInt32(i))
              .append("pad", new BsonString("p".repeat(length))));
    }
    collections.put(ITEMS, documents);
    String stages =
        windows(
            "before: {$shift: {output: {$strLenCP: '$pad'}, by: -3}}, all: {$push: {$strLenCP:"
                + " '$pad'}, window: {documents: [-5, 5]}}");
    assertThat(run(stages, new PipelineRun.Spill(temporary, true, 20_000)))
        .isEqualTo(run(stages, inMemory()))
        .hasSize(30);
  }

  @Test
  void resultsAreNotKeptUntilThePartitionEnds() {
    fill(new Random(2), 25_000);
    // Together the lists would have 300 million elements.
    String stages =
        "[{$setWindowFields: {sortBy: {_id: 1}, output: {all: {$push: '$_id', window: {documents:"
            + " ['unbounded', 'current']}}}}}, {$project: {n: {$size: '$all'}}}, {$group: {_id:"
            + " null, n: {$sum: '$n'}}}]";
    assertThat(run(stages, inMemory()))
        .containsExactly(BsonDocument.parse("{_id: null, n: 312512500}"));
  }

  @Test
  void whatAFunctionRemembersHasToFitIntoMemory() {
    fill(new Random(3), 2_000);
    for (String window :
        List.of("['unbounded', 'current']", "['unbounded', 'unbounded']", "[-1500, 'current']")) {
      String stages =
          windows("all: {$push: {v: '$v', pad: '$pad'}, window: {documents: " + window + "}}");
      assertThatThrownBy(() -> run(stages, new PipelineRun.Spill(temporary, true, 50_000)))
          .as(window)
          .isInstanceOfSatisfying(
              CommandException.class, e -> assertThat(e.code().number()).isEqualTo(5414201))
          .hasMessageContaining("Exceeded memory limit in DocumentSourceSetWindowFields, used ")
          .hasMessageEndingWith(" bytes but max allowed is 50000");
    }
    String few = windows("all: {$push: '$pad', window: {documents: [-10, 0]}}");
    List<BsonValue> lists = new ArrayList<>();
    run(few, new PipelineRun.Spill(temporary, true, 50_000))
        .forEach(one -> lists.add(one.get("all")));
    assertThat(lists).hasSize(2_000);
  }
}
