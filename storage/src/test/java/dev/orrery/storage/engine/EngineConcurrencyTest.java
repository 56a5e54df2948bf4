package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.structure.SplitPoint;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers, scans, splits, index builds, checkpoints and compactions at once: no operation fails, no
 * document is lost or seen twice.
 */
final class EngineConcurrencyTest {
  private static final Namespace NAMESPACE = new Namespace("db", "busy");
  private static final int WRITERS = 4;
  private static final int CHANGES_PER_WRITER = 2_000;
  private static final int STABLE_DOCUMENTS = 400;
  private static final int SPLITS = 12;

  @TempDir Path directory;
  private ChronicleEngine engine;
  private volatile boolean areWritersDone;

  @Test
  void nothingIsLostOrDoubledWhileEverythingHappensAtOnce() throws Exception {
    engine = open();
    create();
    for (int i = 0; i < STABLE_DOCUMENTS; i++) {
      commit(new WriteOperation.Insert(store(), document(-1 - i, "stable" + i, 0)));
    }
    var pool = Executors.newCachedThreadPool();
    var writers = new ArrayList<Future<Map<Integer, Integer>>>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      writers.add(pool.submit(() -> write(writer)));
    }
    List<Future<?>> others = new ArrayList<>();
    List<Callable<?>> disturbances =
        List.of(this::split, this::houseKeep, this::scan, this::scanByIndex);
    disturbances.forEach(one -> others.add(pool.submit(one)));
    var expected = new HashMap<Integer, Integer>();
    for (Future<Map<Integer, Integer>> writer : writers) {
      expected.putAll(writer.get(5, TimeUnit.MINUTES));
    }
    areWritersDone = true;
    for (Future<?> other : others) {
      other.get(5, TimeUnit.MINUTES);
    }
    pool.shutdown();
    assertThat(contents()).isEqualTo(expected);
    assertThat(engine.validate(store())).isEmpty();
    engine.close();
    engine = open();
    assertThat(contents()).isEqualTo(expected);
    assertThat(engine.validate(store())).isEmpty();
    engine.close();
  }

  private ChronicleEngine open() {
    var log = LogOptions.defaults().withFsync(false).withSegmentBytes(256 << 10);
    var options =
        EngineOptions.defaults()
            .with(log)
            .with(new EngineOptions.Checkpoints(1 << 20, 500))
            .with(new EngineOptions.Compacting(0))
            .with(EngineHarness.SMALL_MAPS);
    return ChronicleEngine.open(directory, options, new NoHooks());
  }

  private void create() {
    engine.create(
        NAMESPACE,
        new CollectionInfo.Creation(
            new BsonDocument(), "p", List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
    var spec = IndexSpec.of(BsonDocument.parse("{key: {v: 1}, name: 'v_1'}"));
    engine.createIndexes(store(), List.of(spec));
  }

  private CollectionStore store() {
    return engine.find(NAMESPACE);
  }

  private static RawDocument document(int id, String key, int value) {
    return RawDocument.of(
        new BsonDocument("_id", new BsonInt32(id))
            .append("p", new BsonString(key))
            .append("v", new BsonInt32(value))
            .append("x", new BsonString("x".repeat(100))));
  }

  private WriteOutcome commit(WriteOperation operation) {
    return Lane.await(engine.commit(WriteBatch.of(operation), new WorkMeter())).outcomes().get(0);
  }

  /** Changes documents of its own; what must be there in the end, by id. */
  private Map<Integer, Integer> write(int writer) {
    var random = new Random(writer);
    var mine = new HashMap<Integer, Integer>();
    for (int i = 0; i < CHANGES_PER_WRITER; i++) {
      int id = writer * 1_000_000 + random.nextInt(500);
      String key = "key" + id % 50;
      Integer value = mine.get(id);
      if (value == null) {
        assertThat(commit(new WriteOperation.Insert(store(), document(id, key, i))).isApplied())
            .isTrue();
        mine.put(id, i);
      } else if (random.nextInt(3) > 0) {
        changeUntilApplied(id, key, document(id, key, i));
        mine.put(id, i);
      } else {
        changeUntilApplied(id, key, null);
        mine.remove(id);
      }
    }
    return mine;
  }

  private void changeUntilApplied(int id, String key, RawDocument after) {
    for (; ; ) {
      RawValue keyValue = RawValue.of(new BsonString(key));
      byte[] primaryKey = store().primaryKey(keyValue, RawValue.of(new BsonInt32(id)));
      StoredDocument before =
          Lane.await(store().partitionOf(keyValue).find(primaryKey, new WorkMeter()));
      assertThat(before).as("document %s", id).isNotNull();
      var operation =
          after == null
              ? new WriteOperation.Delete(store(), before)
              : new WriteOperation.Replace(store(), before, after);
      if (commit(operation).isApplied()) {
        return;
      }
    }
  }

  private Void split() throws InterruptedException {
    var random = new Random(7);
    for (int i = 0; i < SPLITS; i++) {
      var partitions = ((ChronicleCollection) store()).physicalPartitions();
      var partition = partitions.get(random.nextInt(partitions.size()));
      String boundary = SplitPoint.of(partition.files(), partition.range());
      if (boundary != null) {
        engine.split(store(), partition.id(), boundary);
      }
      Thread.sleep(20);
    }
    return null;
  }

  private Void houseKeep() throws InterruptedException {
    while (!areWritersDone) {
      engine.checkpoint();
      engine.compact();
      Thread.sleep(10);
    }
    return null;
  }

  private Void scan() {
    while (!areWritersDone) {
      var seen = new BitSet();
      for (PartitionStore partition : store().partitions()) {
        var cursor = partition.scan(false);
        var meter = new WorkMeter();
        for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
          note(one.document(), seen);
        }
      }
      assertThat(seen.cardinality()).isEqualTo(STABLE_DOCUMENTS);
    }
    return null;
  }

  private Void scanByIndex() {
    IndexSpec spec = store().info().index("v_1").spec();
    while (!areWritersDone) {
      var seen = new BitSet();
      for (PartitionStore partition : store().partitions()) {
        var cursor = partition.scan(spec, IndexRange.all(false));
        var meter = new WorkMeter();
        while (cursor.awaitNext(meter)) {
          StoredDocument fetched = Lane.await(partition.read(cursor.recordId(), meter));
          if (fetched != null) {
            note(fetched.document(), seen);
          }
        }
      }
      assertThat(seen.cardinality()).isEqualTo(STABLE_DOCUMENTS);
    }
    return null;
  }

  private static void note(RawDocument document, BitSet seen) {
    int id = document.field("_id").asInt32();
    if (id < 0) {
      assertThat(seen.get(-id)).as("document %s twice", id).isFalse();
      seen.set(-id);
    }
  }

  /** The documents of the writers: value by id. */
  private Map<Integer, Integer> contents() {
    var found = new HashMap<Integer, Integer>();
    for (PartitionStore partition : store().partitions()) {
      var cursor = partition.scan(false);
      var meter = new WorkMeter();
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        int id = one.document().field("_id").asInt32();
        if (id >= 0) {
          assertThat(found.put(id, one.document().field("v").asInt32())).isNull();
        }
      }
    }
    return found;
  }
}
