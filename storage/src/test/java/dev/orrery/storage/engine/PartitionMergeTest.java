package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.reshape.PartitionMerge;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two partitions become one: nothing is lost, cursors go on, and a crash leaves one or the other.
 */
final class PartitionMergeTest {
  private static final String QUARTER = "10000000000000000000000000000000";
  private static final String HALF = "20000000000000000000000000000000";
  private static final String THREE_QUARTERS = "30000000000000000000000000000000";
  private static final String[] INDEXES = {
    "{key: {v: 1}, name: 'v'}", "{key: {u: 1}, name: 'u', unique: true}"
  };

  @TempDir Path directory;

  private static BsonDocument document(int id) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("p", new BsonString("key" + id % 97))
        .append("v", new BsonInt32(id % 10))
        .append("u", new BsonInt32(id));
  }

  private static void insert(EngineHarness engine, int from, int to) {
    for (int i = from; i < to; i++) {
      engine.insert(document(i));
    }
  }

  /** Two partitions that gave the same ids to different documents. */
  private EngineHarness divided() {
    var harness = new EngineHarness(directory.resolve("store"));
    harness.create("p", INDEXES);
    insert(harness, 0, 200);
    harness.engine.split(harness.store(), 0, HALF);
    insert(harness, 200, 500);
    return harness;
  }

  private static int[] ids(CollectionStore store) {
    return store.partitions().stream().mapToInt(PartitionStore::id).toArray();
  }

  private static void requireAll(EngineHarness harness, int count) {
    assertThat(harness.contents()).hasSize(count);
    assertThat(harness.engine.validate(harness.store())).isEmpty();
    var sum =
        harness.store().partitions().stream()
            .map(PartitionStore::statistics)
            .reduce(PartitionStatistics.NONE, PartitionStatistics::plus);
    assertThat(sum.documents()).isEqualTo(count);
    for (int id = 0; id < count; id++) {
      assertThat(find(harness, id).document().toBsonDocument()).isEqualTo(document(id));
      assertThat(outcome(harness, document(id)).status()).isEqualTo(WriteOutcome.Status.DUPLICATE);
    }
  }

  private static WriteOutcome outcome(EngineHarness harness, BsonDocument document) {
    var insert = new WriteOperation.Insert(harness.store(), RawDocument.of(document));
    return Lane.await(harness.engine.commit(WriteBatch.of(insert), new WorkMeter()))
        .outcomes()
        .get(0);
  }

  private static StoredDocument find(EngineHarness harness, int id) {
    RawValue key = RawValue.of(document(id).get("p"));
    byte[] primaryKey = harness.store().primaryKey(key, RawValue.of(new BsonInt32(id)));
    return Lane.await(harness.store().partitionOf(key).find(primaryKey, new WorkMeter()));
  }

  /**
   * Each merge of strangers adds up the numbers of both; there is an end to that, with a reason.
   */
  @Test
  void whatWasMergedTooOftenSaysSoAndServesOn() {
    try (var harness = new EngineHarness(directory.resolve("store"))) {
      harness.create("p");
      insert(harness, 0, 20);
      harness.engine.split(harness.store(), 0, HALF);
      StorageException refused = null;
      for (int i = 0; i < 400 && refused == null; i++) {
        boolean isLow = i % 2 == 0;
        int[] both = ids(harness.store());
        harness.engine.split(
            harness.store(), both[isLow ? 0 : 1], isLow ? QUARTER : THREE_QUARTERS);
        int[] three = ids(harness.store());
        refused =
            catchThrowableOfType(
                StorageException.class,
                () -> harness.engine.merge(harness.store(), three[1], three[isLow ? 2 : 0]));
        if (refused == null) { // back to two halves: the outer ones are strangers now
          int[] uneven = ids(harness.store());
          harness.engine.split(harness.store(), uneven[isLow ? 1 : 0], HALF);
          int[] again = ids(harness.store());
          refused =
              catchThrowableOfType(
                  StorageException.class,
                  () ->
                      harness.engine.merge(
                          harness.store(), again[isLow ? 0 : 1], again[isLow ? 1 : 2]));
        }
      }
      assertThat(refused).isNotNull();
      assertThat(refused.reason()).isEqualTo(StorageException.Reason.IDS_SPENT);
      insert(harness, 20, 40);
      assertThat(harness.contents()).hasSize(40);
      assertThat(harness.engine.validate(harness.store())).isEmpty();
    }
  }

  @Test
  void siblingsBecomeOneThatNamesThemAsParents() {
    try (var harness = divided()) {
      assertThat(harness.engine.merge(harness.store(), 2, 1)).isEqualTo(3);

      PartitionMap map = harness.store().info().partitions();
      assertThat(map.entries()).hasSize(1);
      assertThat(map.entries().get(0).parents()).containsExactly(0, 1, 2);
      requireAll(harness, 500);
      insert(harness, 500, 600);
      requireAll(harness, 600);
    }
  }

  @Test
  void neighboursThatAreNoSiblingsCanBeMerged() {
    try (var harness = divided()) {
      harness.engine.split(harness.store(), 1, QUARTER);
      insert(harness, 500, 700);
      assertThat(ids(harness.store())).containsExactly(3, 4, 2);
      int merged = harness.engine.merge(harness.store(), 4, 2);
      insert(harness, 700, 800);
      requireAll(harness, 800);
      harness.engine.merge(harness.store(), 3, merged);
      requireAll(harness, 800);
    }
  }

  @Test
  void splittingAndMergingForEverDoesNotUseUpTheRecordIds() {
    try (var harness = divided()) {
      int merged = harness.engine.merge(harness.store(), 1, 2);
      for (int i = 0; i < 20; i++) {
        harness.engine.split(harness.store(), merged, i % 2 == 0 ? QUARTER : HALF);
        insert(harness, 500 + i * 10, 510 + i * 10);
        int[] children = ids(harness.store());
        merged = harness.engine.merge(harness.store(), children[0], children[1]);
      }
      requireAll(harness, 700);
      assertThat(harness.partition().files().givenIds()).isLessThan(30L << 20);
    }
  }

  @Test
  void openScansGoOnAndSeeEveryDocumentOnce() {
    try (var harness = divided()) {
      for (boolean isReverse : new boolean[] {false, true}) {
        var seen = new ArrayList<Integer>();
        var cursors =
            harness.store().partitions().stream().map(one -> one.scan(isReverse)).toList();
        for (var cursor : cursors) {
          for (int i = 0; i < 20; i++) {
            seen.add(idOf(cursor.awaitNext(new WorkMeter())));
          }
        }
        int[] parents = ids(harness.store());
        int merged = harness.engine.merge(harness.store(), parents[0], parents[1]);
        for (var cursor : cursors) {
          for (int i = 0; i < 20; i++) {
            seen.add(idOf(cursor.awaitNext(new WorkMeter())));
          }
        }
        harness.engine.split(harness.store(), merged, QUARTER);
        for (var cursor : cursors) {
          for (var one = cursor.awaitNext(new WorkMeter());
              one != null;
              one = cursor.awaitNext(new WorkMeter())) {
            seen.add(idOf(one));
          }
        }
        assertThat(seen).hasSize(500).doesNotHaveDuplicates();
      }
    }
  }

  private static int idOf(StoredDocument document) {
    return document.document().toBsonDocument().getInt32("_id").getValue();
  }

  @Test
  void openIndexScansGoOnInOrderAndUnderTheIdsTheyBeganWith() {
    try (var harness = divided()) {
      IndexSpec index = harness.store().info().index("v").spec();
      for (boolean isReverse : new boolean[] {false, true}) {
        var range = new IndexRange(null, true, null, true, isReverse);
        var seen = new TreeSet<Integer>();
        var store = harness.store();
        var cursors = new LinkedHashMap<PartitionStore, IndexCursor>();
        store.partitions().forEach(one -> cursors.put(one, one.scan(index, range)));
        cursors.forEach((partition, cursor) -> take(partition, cursor, 30, seen));
        int[] parents = ids(store);
        int merged = harness.engine.merge(store, parents[0], parents[1]);
        cursors.forEach((partition, cursor) -> take(partition, cursor, 30, seen));
        harness.engine.split(store, merged, QUARTER);
        cursors.forEach((partition, cursor) -> take(partition, cursor, Integer.MAX_VALUE, seen));
        assertThat(seen).hasSize(500);
      }
    }
  }

  private static void take(
      PartitionStore partition, IndexCursor cursor, int count, TreeSet<Integer> seen) {
    for (int i = 0; i < count && cursor.awaitNext(new WorkMeter()); i++) {
      var document = Lane.await(partition.read(cursor.recordId(), new WorkMeter()));
      assertThat(seen.add(idOf(document))).isTrue();
    }
  }

  @Test
  void aPartitionThatWasMergedAwayStillCountsItsOwnDocuments() {
    try (var harness = divided()) {
      List<PartitionStore> parents = harness.store().partitions();
      var before = parents.stream().map(PartitionStore::statistics).toList();
      harness.engine.merge(harness.store(), 1, 2);
      assertThat(parents.stream().map(PartitionStore::statistics).toList()).isEqualTo(before);
    }
  }

  @Test
  void aCrashBeforeTheNextCheckpointLeavesTheMergedPartitionAndAllItsRecords() {
    try (var harness = divided()) {
      harness.engine.checkpoint();
      insert(harness, 500, 550);
      var collection = (ChronicleCollection) harness.store();
      PartitionMerge.run(
          harness.engine.parts(), collection, 1, 2, done -> {}); // without its checkpoint
      insert(harness, 550, 600);

      harness.crash();
      assertThat(ids(harness.store())).containsExactly(3);
      requireAll(harness, 600);
      insert(harness, 600, 650);
      harness.crash();
      requireAll(harness, 650);
    }
  }

  @Test
  void lostSlotsOfAMergedPartitionAreMadeAnewFromTheLog() throws IOException {
    try (var harness = divided()) {
      harness.engine.merge(harness.store(), 1, 2);
      insert(harness, 500, 600);
      harness.engine.close();
      try (var paths = Files.walk(harness.directory.resolve("partitions").resolve("1-3"))) {
        for (Path file : paths.filter(Files::isRegularFile).toList()) {
          Files.delete(file);
        }
      }
      harness.reopen();
      requireAll(harness, 600);
      assertThat(harness.engine.rebuilt()).isNotEmpty();
    }
  }

  @Test
  void compactionFindsTheRecordsOfAMergedPartition() {
    var options = EngineHarness.compacting();
    try (var harness = new EngineHarness(directory.resolve("store"), options, new NoHooks())) {
      harness.create("p", INDEXES);
      insert(harness, 0, 500);
      harness.engine.split(harness.store(), 0, HALF);
      insert(harness, 500, 800);
      harness.engine.merge(harness.store(), 1, 2);
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 800; i += 3) {
          BsonDocument changed = document(i).append("x", new BsonString("x".repeat(200 + round)));
          replace(harness, i, changed);
        }
      }
      for (int i = 0; i < 800; i += 3) {
        replace(harness, i, document(i));
      }
      assertThat(harness.engine.compact()).isPositive();
      requireAll(harness, 800);
      harness.crash();
      requireAll(harness, 800);
    }
  }

  private static void replace(EngineHarness harness, int id, BsonDocument to) {
    WriteOutcome outcome;
    do {
      var operation =
          new WriteOperation.Replace(harness.store(), find(harness, id), RawDocument.of(to));
      outcome =
          Lane.await(harness.engine.commit(WriteBatch.of(operation), new WorkMeter()))
              .outcomes()
              .get(0);
    } while (outcome.status() == WriteOutcome.Status.CONFLICT);
    assertThat(outcome.isApplied()).isTrue();
  }

  @Test
  void writersAndReadersNoticeNothing() throws InterruptedException {
    try (var harness = divided()) {
      var isDone = new AtomicBoolean();
      var faults = ConcurrentHashMap.<Throwable>newKeySet();
      var threads = new ArrayList<Thread>();
      for (int worker = 0; worker < 2; worker++) {
        int first = 1000 + worker * 100_000;
        var thread = new Thread(() -> work(harness, first, isDone));
        thread.setUncaughtExceptionHandler((dead, fault) -> faults.add(fault));
        threads.add(thread);
        thread.start();
      }
      var random = new Random(6);
      for (int i = 0; i < 6; i++) {
        int[] parents = ids(harness.store());
        int lower = random.nextInt(parents.length - 1);
        int merged = harness.engine.merge(harness.store(), parents[lower], parents[lower + 1]);
        String boundary = random.nextBoolean() ? HALF : QUARTER;
        var entry = harness.store().info().partitions().find(merged);
        boolean isInside = entry.range().contains(boundary);
        if (isInside && !entry.range().minInclusive().equals(boundary)) {
          harness.engine.split(harness.store(), merged, boundary);
        }
        if (harness.store().partitions().size() < 2) {
          harness.engine.split(harness.store(), ids(harness.store())[0], HALF);
        }
      }
      isDone.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(faults).isEmpty();
      assertThat(harness.engine.validate(harness.store())).isEmpty();
      int count = harness.contents().size();
      harness.crash();
      assertThat(harness.contents()).hasSize(count);
      assertThat(harness.engine.validate(harness.store())).isEmpty();
    }
  }

  /** Writes, replaces, deletes every third, reads back, and scans what must always be there. */
  private static void work(EngineHarness harness, int first, AtomicBoolean isDone) {
    for (int id = first; !isDone.get(); id++) {
      harness.insert(document(id));
      replace(harness, id, document(id).append("w", new BsonInt32(1)));
      if (id % 3 == 0) {
        WriteOutcome outcome;
        do {
          var delete = new WriteOperation.Delete(harness.store(), find(harness, id));
          outcome =
              Lane.await(harness.engine.commit(WriteBatch.of(delete), new WorkMeter()))
                  .outcomes()
                  .get(0);
        } while (!outcome.isApplied());
        assertThat(find(harness, id)).isNull();
      } else {
        assertThat(find(harness, id)).isNotNull();
      }
      if (id % 50 == 0) {
        assertThat(harness.contents().keySet().stream().filter(one -> one < 500).count())
            .isEqualTo(500);
      }
    }
  }
}
