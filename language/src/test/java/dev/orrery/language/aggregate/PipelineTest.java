package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

/** What pipelines do beyond their answers: rewriting, and going to disk. */
class PipelineTest {
  private static final Namespace ITEMS = new Namespace("shop", "items");
  private static final int COUNT = 2000;

  private final HeapSpills temporary = new HeapSpills();

  private final MemoryCollections collections = new MemoryCollections();

  PipelineTest() {
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < COUNT; i++) {
      documents.add(
          new BsonDocument("_id", new BsonInt32(i))
              .append("group", new BsonInt32(i * 7919 % 500))
              .append("size", new BsonInt32(i * 31 % 1000)));
    }
    collections.put(ITEMS, documents);
  }

  private Pipeline parse(String stages) {
    return collections.parse(ITEMS, Pipeline.documents(BsonArray.parse(stages)));
  }

  private List<BsonDocument> run(String stages, PipelineRun.Spill spill) {
    return collections.run(ITEMS, stages, spill);
  }

  private PipelineRun.Spill inMemory() {
    return new PipelineRun.Spill(temporary, false);
  }

  private PipelineRun.Spill onDisk() {
    return new PipelineRun.Spill(temporary, true, 20_000);
  }

  private Pipeline.Explained explain(String stages) {
    return parse(stages).explained(new PipelineRun(collections, inMemory()));
  }

  @Test
  void sortGivesTheSameOnDisk() throws IOException {
    String stages = "[{$addFields: {twice: {$add: ['$size', '$size']}}}, {$sort: {twice: 1}}]";
    assertThat(run(stages, onDisk())).isEqualTo(run(stages, inMemory())).hasSize(COUNT);
    assertNothingIsLeftOnDisk();
  }

  @Test
  void groupGivesTheSameOnDisk() throws IOException {
    String stages =
        "[{$group: {_id: '$group', all: {$push: '$_id'}, sum: {$sum: '$size'}}},"
            + " {$project: {all: 1, sum: 1}}]";
    assertThat(run(stages, onDisk()))
        .containsExactlyInAnyOrderElementsOf(run(stages, inMemory()))
        .hasSize(500);
    assertNothingIsLeftOnDisk();
  }

  @Test
  void everyAccumulatorGivesTheSameOnDisk() throws IOException {
    var tiny = new PipelineRun.Spill(temporary, true, 4_000);
    for (String accumulator :
        List.of(
            "$sum: '$size'",
            "$sum: {$divide: ['$size', 7]}",
            "$sum: {$toDecimal: '$size'}",
            "$avg: '$size'",
            "$min: '$size'",
            "$max: '$size'",
            "$first: '$_id'",
            "$last: '$none'",
            "$push: '$_id'",
            "$push: '$$ROOT'",
            "$addToSet: {$mod: ['$size', 10]}",
            "$mergeObjects: {a: '$size'}",
            "$count: {}",
            "$firstN: {n: 2, input: '$_id'}",
            "$lastN: {n: 2, input: '$_id'}",
            "$minN: {n: 2, input: '$size'}",
            "$maxN: {n: 2, input: '$size'}",
            "$top: {sortBy: {size: 1}, output: '$_id'}",
            "$topN: {n: 3, sortBy: {size: -1}, output: '$_id'}",
            "$bottom: {sortBy: {size: 1}, output: '$_id'}",
            "$bottomN: {n: 3, sortBy: {none: 1}, output: '$_id'}",
            "$median: {input: '$size', method: 'approximate'}",
            "$percentile: {input: '$size', p: [0.3], method: 'approximate'}")) {
      for (String key : List.of("{$mod: ['$_id', 5]}", "'$group'", "null")) {
        String stages = "[{$group: {_id: " + key + ", r: {" + accumulator + "}}}]";
        assertThat(run(stages, tiny))
            .as(stages)
            .containsExactlyInAnyOrderElementsOf(run(stages, inMemory()));
      }
    }
    assertNothingIsLeftOnDisk();
  }

  @Test
  void deviationsOfMergedPartsAreTheSameButForRounding() {
    String stages =
        "[{$group: {_id: {$mod: ['$_id', 5]}, all: {$push: '$$ROOT'}, r: {$stdDevPop:"
            + " '$size'}}}, {$sort: {_id: 1}}]";
    List<BsonDocument> onDisk = run(stages, new PipelineRun.Spill(temporary, true, 4_000));
    List<BsonDocument> inMemory = run(stages, inMemory());
    for (int i = 0; i < inMemory.size(); i++) {
      assertThat(onDisk.get(i).getDouble("r").getValue())
          .isCloseTo(inMemory.get(i).getDouble("r").getValue(), within(1e-9));
    }
  }

  @Test
  void manySortedRunsAreMergedAFewAtATime() throws IOException {
    var tiny = new PipelineRun.Spill(temporary, true, 4_000);
    String stages = "[{$project: {x: {$mod: ['$size', 17]}}}, {$sort: {x: -1}}]";
    assertThat(run(stages, tiny)).isEqualTo(run(stages, inMemory())).hasSize(COUNT);
    assertNothingIsLeftOnDisk();
  }

  @Test
  void windowsGiveTheSameOnDisk() throws IOException {
    String stages =
        "[{$setWindowFields: {partitionBy: '$group', sortBy: {_id: 1}, output: {n:"
            + " {$documentNumber: {}}, sum: {$sum: '$size', window: {documents: [-1, 1]}}}}}]";
    assertThat(run(stages, onDisk())).isEqualTo(run(stages, inMemory())).hasSize(COUNT);
    assertNothingIsLeftOnDisk();
  }

  @Test
  void oneLargeWindowPartitionGivesTheSameOnDisk() throws IOException {
    String stages =
        "[{$setWindowFields: {sortBy: {size: 1, _id: 1}, output: {sum: {$sum: '$size', window:"
            + " {documents: [-2, 3]}}, before: {$shift: {output: '$_id', by: -1}}}}}]";
    assertThat(run(stages, onDisk())).isEqualTo(run(stages, inMemory())).hasSize(COUNT);
    assertNothingIsLeftOnDisk();
  }

  @Test
  void withoutDiskBlockingStagesRefuseToTakeTooMuchMemory() {
    String sort =
        "PlanExecutor error during aggregation :: caused by :: Sort exceeded memory limit of 20000"
            + " bytes, but did not opt in to external sorting.";
    String group =
        "PlanExecutor error during aggregation :: caused by :: Exceeded memory limit for $group,"
            + " but didn't allow external sort. Pass allowDiskUse:true to opt in.";
    assertTooLarge("[{$project: {x: '$size'}}, {$sort: {x: 1}}]", 292, sort);
    assertTooLarge("[{$bucketAuto: {groupBy: '$size', buckets: 3}}]", 292, sort);
    assertTooLarge(
        "[{$setWindowFields: {sortBy: {size: 1}, output: {n: {$rank: {}}}}}]", 292, sort);
    assertTooLarge("[{$group: {_id: '$_id'}}]", 292, group);
    assertTooLarge("[{$sortByCount: '$_id'}]", 292, group);
    assertTooLarge("[{$facet: {one: [{$group: {_id: '$_id'}}]}}]", 292, group);
  }

  @Test
  void stagesWhoseResultMustFitIntoMemoryHaveALimit() {
    assertTooLarge(
        "[{$facet: {all: [{$match: {}}]}}]",
        4031700,
        "PlanExecutor error during aggregation :: caused by :: document constructed by $facet is");
    assertTooLarge(
        "[{$limit: 1}, {$graphLookup: {from: 'items', startWith: '$group', connectFromField:"
            + " 'group', connectToField: 'none', as: 'all'}}, {$lookup: {from: 'items', pipeline:"
            + " [], as: 'all'}}]",
        4568,
        "PlanExecutor error during aggregation :: caused by :: Total size of documents in items"
            + " matching pipeline's $lookup stage exceeds 20000 bytes");
    assertTooLarge(
        "[{$limit: 1}, {$graphLookup: {from: 'items', startWith: null, connectFromField: '_id',"
            + " connectToField: 'none', as: 'all'}}]",
        40099,
        "PlanExecutor error during aggregation :: caused by :: $graphLookup reached maximum memory"
            + " consumption");
  }

  private void assertTooLarge(String stages, int code, String message) {
    assertThatThrownBy(() -> run(stages, new PipelineRun.Spill(temporary, false, 20_000)))
        .as(stages)
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.code().number()).isEqualTo(code))
        .hasMessageStartingWith(message);
  }

  @Test
  void mergesByAPipelineTakeTheStagesOfUpdatesOnly() {
    assertThatThrownBy(
            () -> run("[{$merge: {into: 'none', whenMatched: [{$match: {}}]}}]", inMemory()))
        .hasMessage(
            "PlanExecutor error during aggregation :: caused by :: $match is not allowed to be used"
                + " within an update");
  }

  @Test
  void unwoundDocumentsKeepTheFieldsThatAreRead() {
    collections.put(
        ITEMS,
        List.of(
            BsonDocument.parse("{_id: 1, l: [{x: 1, y: 5}, {x: 2, y: 6}, 7, []], o: {x: 3}}"),
            BsonDocument.parse("{_id: 2, l: {x: 1, y: 8}}")));
    assertThat(run("[{$unwind: '$l'}, {$group: {_id: '$l.x', y: {$push: '$l.y'}}}]", inMemory()))
        .containsExactly(
            BsonDocument.parse("{_id: 1, y: [5, 8]}"),
            BsonDocument.parse("{_id: 2, y: [6]}"),
            BsonDocument.parse("{_id: null, y: []}"),
            BsonDocument.parse("{_id: [], y: [[]]}"));
    assertThat(run("[{$unwind: '$l'}, {$project: {l: 1, _id: 0}}, {$limit: 1}]", inMemory()))
        .containsExactly(BsonDocument.parse("{l: {x: 1, y: 5}}"));
    assertThat(run("[{$unwind: '$l'}, {$count: 'n'}]", inMemory()))
        .containsExactly(BsonDocument.parse("{n: 5}"));
  }

  @Test
  void matchesMoveToTheSource() {
    var explained =
        explain("[{$addFields: {x: 1}}, {$sort: {size: 1}}, {$match: {size: 5, x: 1}}]");
    assertThat(explained.query().criteria().document().toBsonDocument())
        .isEqualTo(BsonDocument.parse("{size: 5}"));
    assertThat(explained.query().sort()).isNull();
    assertThat(explained.stages()).hasSize(3);
  }

  @Test
  void matchesOfComputedFieldsStayBehindThem() {
    for (String stage :
        List.of(
            "{$addFields: {size: 1}}",
            "{$project: {'size.x': 1}}",
            "{$unset: 'size.x'}",
            "{$unwind: '$size'}",
            "{$group: {_id: '$size'}}",
            "{$limit: 5}")) {
      var explained = explain("[" + stage + ", {$match: {size: 5}}]");
      assertThat(explained.query().criteria().document().isEmpty()).as(stage).isTrue();
    }
  }

  @Test
  void sortsAndLimitsBecomePartOfTheQuery() {
    var explained = explain("[{$sort: {size: -1}}, {$skip: 2}, {$project: {a: 1}}, {$limit: 3}]");
    assertThat(explained.query().sort()).isNotNull();
    assertThat(explained.query().skip()).isEqualTo(2);
    assertThat(explained.query().limit()).isEqualTo(3);
    assertThat(explained.stages()).hasSize(1);
  }

  @Test
  void lookupsBindVariablesForInnerPipelines() {
    String stages =
        "[{$match: {_id: 3}}, {$lookup: {from: 'items', let: {g: '$group'}, pipeline: [{$match:"
            + " {$expr: {$eq: ['$group', '$$g']}}}, {$count: 'n'}], as: 'l'}},"
            + " {$project: {n: '$l.n'}}]";
    assertThat(run(stages, inMemory())).containsExactly(BsonDocument.parse("{_id: 3, n: [4]}"));
  }

  private void assertNothingIsLeftOnDisk() throws IOException {
    assertThat(temporary.count()).isZero();
  }
}
