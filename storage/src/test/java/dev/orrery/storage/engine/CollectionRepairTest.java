package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Structures that disagree with the documents, mended while the collection serves. */
final class CollectionRepairTest {
  private static final int DOCUMENTS = 1_000;

  @TempDir Path root;

  private EngineHarness open() {
    var store = new EngineHarness(root.resolve("store"), EngineHarness.quiet(), new NoHooks());
    store.create("k", "{key: {v: 1}, name: 'v'}", "{key: {u: 1}, name: 'u', unique: true}");
    for (int i = 0; i < DOCUMENTS; i++) {
      store.insert(document(i, i));
    }
    return store;
  }

  private static BsonDocument document(int id, int value) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("k", new BsonInt32(id % 7))
        .append("v", new BsonInt32(value))
        .append("u", new BsonInt32(id));
  }

  private static void damage(EngineHarness store) {
    Collections.locked(store.partition(), () -> damage(store, store.partition().files()));
  }

  /** One fault of each kind. */
  private static void damage(EngineHarness store, PartitionFiles files) {
    var cursor = index(store, "v").cursor(IndexRange.all(false));
    cursor.next();
    index(store, "v").tree().remove(cursor.key(), cursor.recordId());
    index(store, "v").tree().insert(new byte[] {1, 2, 3}, 77);
    index(store, "v").tree().insert(new byte[] {1, 2, 4}, 78);
    List<byte[]> unique = keysOf(index(store, "u").unique());
    index(store, "u").unique().remove(unique.get(5));
    files.ids().remove(keysOf(files.ids()).get(9));
    byte[] size = keysOf(files.sizes()).get(0);
    files.sizes().put(size, 1, 1);
    files.countBytes(1234);
  }

  private static OrderedIndex index(EngineHarness store, String name) {
    return store.partition().files().require(store.store().info().index(name).spec());
  }

  private static List<byte[]> keysOf(KeyIndex index) {
    var keys = new ArrayList<byte[]>();
    index.forEach((key, first, second) -> keys.add(key));
    return keys;
  }

  @Test
  void everyKindOfFaultIsMended() {
    try (var store = open()) {
      Map<Integer, BsonDocument> before = store.contents();
      damage(store);
      assertThat(store.engine.validate(store.store())).hasSizeGreaterThan(5);
      RepairResult result = store.engine.repair(store.store(), () -> {});
      assertThat(result.isRepaired()).as(result.toString()).isTrue();
      assertThat(result.missingEntries()).isEqualTo(1);
      assertThat(result.extraEntries()).isEqualTo(2);
      store.engine.verify();
      assertThat(store.contents()).isEqualTo(before);
      store.insert(document(DOCUMENTS, 1));
      assertThatThrownBy(() -> store.insert(document(3, 1))).isInstanceOf(AssertionError.class);
      var after = store.contents();
      store.crash();
      store.engine.verify();
      assertThat(store.contents()).isEqualTo(after);
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void aSoundCollectionIsLeftAsItIs() {
    try (var store = open()) {
      int partition = store.partition().id();
      RepairResult result = store.engine.repair(store.store(), () -> {});
      assertThat(result).isEqualTo(new RepairResult(List.of(), List.of(), 0, 0, List.of()));
      assertThat(store.partition().id()).isEqualTo(partition);
    }
  }

  @Test
  void aPauseThatThrowsEndsItAndThePartitionServesOn() {
    try (var store = open()) {
      damage(store);
      var calls = new int[1];
      Runnable killed =
          () -> {
            if (++calls[0] == 5) {
              throw new IllegalStateException("killed");
            }
          };
      assertThatThrownBy(() -> store.engine.repair(store.store(), killed)).hasMessage("killed");
      store.insert(document(DOCUMENTS, 1));
      assertThat(store.engine.repair(store.store(), () -> {}).isRepaired()).isTrue();
      assertThat(store.contents()).hasSize(DOCUMENTS + 1);
    }
  }

  @Test
  void readsAndWritesGoOnMeanwhile() throws Exception {
    try (var store = open()) {
      var failures = new ConcurrentLinkedQueue<Throwable>();
      var isDone = new AtomicBoolean();
      var expected = new ConcurrentHashMap<Integer, Integer>();
      for (int i = 0; i < DOCUMENTS; i++) {
        expected.put(i, i);
      }
      var threads = new ArrayList<Thread>();
      for (int n = 0; n < 3; n++) {
        int number = n;
        threads.add(worker(failures, () -> write(store, number, expected, isDone)));
      }
      threads.add(worker(failures, () -> scan(store, isDone)));
      threads.forEach(Thread::start);
      for (int round = 0; round < 8 && failures.isEmpty(); round++) {
        Collections.locked(
            store.partition(), () -> index(store, "v").tree().insert(new byte[] {1, 2, 3}, 77));
        assertThat(store.engine.repair(store.store(), () -> {}).isRepaired()).isTrue();
      }
      isDone.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failures).isEmpty();
      store.engine.verify();
      store.crash();
      store.engine.verify();
      Map<Integer, BsonDocument> contents = store.contents();
      assertThat(contents.keySet()).isEqualTo(new TreeSet<>(expected.keySet()));
      expected.forEach(
          (id, value) ->
              assertThat(contents.get(id).getInt32("v").getValue()).as("" + id).isEqualTo(value));
    }
  }

  private static Thread worker(Queue<Throwable> failures, Runnable work) {
    var thread = new Thread(work);
    thread.setUncaughtExceptionHandler((one, failure) -> failures.add(failure));
    return thread;
  }

  /** Each writer has ids of its own, and leaves every tenth alone. */
  private static void write(
      EngineHarness store, int number, Map<Integer, Integer> expected, AtomicBoolean isDone) {
    for (int i = number; !isDone.get(); i += 3) {
      int id = i % 3 == 2 ? DOCUMENTS + i : i % DOCUMENTS;
      if (id % 3 != number || id % 10 == 0) {
        continue;
      }
      RawValue key = RawValue.of(new BsonInt32(id % 7));
      byte[] primaryKey = store.store().primaryKey(key, RawValue.of(new BsonInt32(id)));
      var before = Lane.await(store.store().partitionOf(key).find(primaryKey, new WorkMeter()));
      var after = RawDocument.of(document(id, i));
      WriteOperation operation =
          before == null
              ? new WriteOperation.Insert(store.store(), after)
              : i % 5 == 0
                  ? new WriteOperation.Delete(store.store(), before)
                  : new WriteOperation.Replace(store.store(), before, after);
      var outcome =
          Lane.await(store.engine.commit(WriteBatch.of(operation), new WorkMeter()))
              .outcomes()
              .get(0);
      if (!outcome.isApplied()) {
        continue; // the partition was renewed in between: read again
      }
      if (operation instanceof WriteOperation.Delete) {
        expected.remove(id);
      } else {
        expected.put(id, i);
      }
    }
  }

  /** A cursor that was opened before meets every document that nobody changes once. */
  private static void scan(EngineHarness store, AtomicBoolean isDone) {
    while (!isDone.get()) {
      var seen = new TreeSet<Integer>();
      for (var partition : store.store().partitions()) {
        var meter = new WorkMeter();
        var cursor = partition.scan(false);
        for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
          int id = one.document().toBsonDocument().getInt32("_id").getValue();
          if (id % 10 == 0) {
            assertThat(seen.add(id)).as("once").isTrue();
          }
        }
      }
      assertThat(seen).hasSize(DOCUMENTS / 10);
    }
  }
}
