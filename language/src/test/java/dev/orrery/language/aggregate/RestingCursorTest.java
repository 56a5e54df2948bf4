package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.language.limit.MemoryAccount;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** Stages that come back to a document keep none that is large while nobody reads them. */
class RestingCursorTest {
  private static final Namespace ITEMS = new Namespace("shop", "items");
  private static final int ELEMENTS = 5;

  private final HeapSpills disk = new HeapSpills();
  private final MemoryBudget budget = new MemoryBudget(16 << 20);
  private final MemoryAccount memory = budget.open();
  private final MemoryCollections collections = new MemoryCollections();

  /** Two documents with arrays, and the same text in each. */
  private void store(int textLength) {
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < 2; i++) {
      var elements = new BsonArray();
      IntStream.range(0, ELEMENTS).forEach(n -> elements.add(new BsonInt32(n)));
      documents.add(
          new BsonDocument("_id", new BsonInt32(i))
              .append("a", elements)
              .append("text", new BsonString("x".repeat(textLength))));
    }
    collections.put(ITEMS, documents);
  }

  /** Reads all, and lets the cursor rest after every document; how many files there were then. */
  private List<Integer> readAndRest(String stages, List<RawDocument> results) {
    Pipeline pipeline = collections.parse(ITEMS, Pipeline.documents(BsonArray.parse(stages)));
    var files = new ArrayList<Integer>();
    var spill = new PipelineRun.Spill(disk, true, memory);
    try (Environment.RawStream stream = pipeline.run(new PipelineRun(collections, spill))) {
      for (RawDocument next = stream.next(); next != null; next = stream.next()) {
        results.add(next);
        memory.rest();
        files.add(disk.count());
        assertThat(disk.awake()).isZero();
        memory.wake();
      }
    }
    assertThat(disk.count()).isZero();
    assertThat(budget.usedBytes()).isZero();
    assertThat(budget.restingBytes()).isZero();
    return files;
  }

  private void assertSame(String stages) {
    List<BsonDocument> expected =
        collections.run(ITEMS, stages, new PipelineRun.Spill(disk, true, memory));
    var results = new ArrayList<RawDocument>();
    List<Integer> files = readAndRest(stages, results);
    assertThat(results.stream().map(RawDocument::toBsonDocument)).isEqualTo(expected);
    assertThat(results).hasSize(2 * ELEMENTS);
    assertThat(files).containsOnly(1);
  }

  @Test
  void unwindGoesOnFromDisk() {
    store(3 << 20);
    assertSame("[{$unwind: {path: '$a', includeArrayIndex: 'place'}}]");
  }

  @Test
  void aLookupThatUnwindsGoesOnFromDisk() {
    store(3 << 20);
    assertSame(
        "[{$lookup: {from: 'items', pipeline: [{$unwind: '$a'}, {$match: {_id: 0}},"
            + " {$project: {a: 1}}], as: 'found'}}, {$unwind: '$found'}]");
  }

  @Test
  void whatIsSmallEnoughStaysInMemory() {
    store(600_000);
    var results = new ArrayList<RawDocument>();
    assertThat(readAndRest("[{$unwind: '$a'}]", results)).containsOnly(0);
    assertThat(results).hasSize(2 * ELEMENTS);
  }
}
