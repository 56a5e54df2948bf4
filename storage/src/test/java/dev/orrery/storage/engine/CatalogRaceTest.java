package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes of all kinds race with drops and creations: the catalog has what was acknowledged. */
final class CatalogRaceTest {
  private static final int THREADS = 6;
  private static final int NAMES = 3;
  private static final long SECONDS = Long.getLong("orrery.race.seconds", 3);

  /** How a change may fail that came too late. */
  private static final Set<StorageException.Reason> LATE =
      EnumSet.of(
          StorageException.Reason.COLLECTION_DROPPED,
          StorageException.Reason.INDEX_DROPPED,
          StorageException.Reason.PARTITION_REPLACED);

  @TempDir Path directory;

  /** What was acknowledged for one collection. */
  private static final class Expected {
    final AtomicInteger updates = new AtomicInteger();
    final Set<String> indexes = ConcurrentHashMap.newKeySet();
    final Set<Integer> documents = ConcurrentHashMap.newKeySet();
    volatile boolean isGone;
  }

  private final Map<UUID, Expected> model = new ConcurrentHashMap<>();
  private final Queue<CollectionStore> handles = new ConcurrentLinkedQueue<>();
  private final AtomicInteger ids = new AtomicInteger();
  private EngineHarness store;

  private static EngineOptions options() {
    return EngineHarness.quiet()
        .with(LogOptions.defaults().withSegmentBytes(64 << 10))
        .with(new EngineOptions.Checkpoints(32 << 10, 50))
        .with(new EngineOptions.Compacting(0));
  }

  @Test
  @Timeout(120)
  void theCatalogHasWhatWasAcknowledgedAlsoAfterACrashAndARestart() throws Exception {
    try (var harness = new EngineHarness(directory.resolve("store"), options(), new NoHooks())) {
      store = harness;
      var pool = Executors.newFixedThreadPool(THREADS);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      var workers = new ArrayList<CompletableFuture<Void>>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        workers.add(CompletableFuture.runAsync(() -> race(thread, end), pool));
      }
      for (CompletableFuture<Void> worker : workers) {
        worker.get();
      }
      pool.shutdown();
      List<String> before = describeAll();
      compareWithModel();
      store.crash();
      assertThat(describeAll()).isEqualTo(before);
      compareWithModel();
      store.reopen();
      assertThat(describeAll()).isEqualTo(before);
      compareWithModel();
    }
  }

  private void race(int thread, long end) {
    var random = new Random(thread);
    while (System.nanoTime() < end) {
      try {
        step(thread, random);
      } catch (StorageException e) {
        boolean isOverrun = e.getMessage().contains("took too many writes to be merged");
        if (!LATE.contains(e.reason()) && !isOverrun) {
          throw e;
        }
      }
    }
  }

  private void step(int thread, Random random) {
    CollectionStore handle = pick(random);
    switch (handle == null ? 0 : random.nextInt(14)) {
      case 0, 1 -> create(random);
      case 2 -> drop(handle);
      case 3 -> rename(handle, random);
      case 4 -> update(handle);
      case 5 -> replaceEmpty(handle);
      case 6 -> createIndex(handle, thread);
      case 7 -> dropIndex(handle, thread);
      case 8 -> changeIndex(handle, thread, random.nextBoolean());
      case 9 -> split(handle, random);
      case 10 -> merge(handle);
      default -> insert(handle);
    }
  }

  /** Mostly a present one, sometimes one that was dropped long ago. */
  private CollectionStore pick(Random random) {
    if (random.nextInt(4) > 0) {
      return store.engine.find(name(random));
    }
    var all = new ArrayList<>(handles);
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  private static Namespace name(Random random) {
    return new Namespace("db", "c" + random.nextInt(NAMES));
  }

  private Expected expected(CollectionStore collection) {
    return model.computeIfAbsent(collection.info().uuid(), uuid -> new Expected());
  }

  private static CollectionInfo.Creation creation() {
    return new CollectionInfo.Creation(
        new BsonDocument("x", new BsonInt32(0)),
        "p",
        List.of(IndexSpec.idIndex()),
        2,
        new BsonDocument());
  }

  private void create(Random random) {
    CollectionStore created = store.engine.create(name(random), creation());
    if (created != null) {
      expected(created);
      handles.add(created);
    }
  }

  private void drop(CollectionStore handle) {
    if (store.engine.drop(handle)) {
      expected(handle).isGone = true;
    }
  }

  private void replaceEmpty(CollectionStore handle) {
    CollectionStore replacement = store.engine.replaceEmpty(handle, creation());
    if (replacement != null) {
      expected(handle).isGone = true;
      expected(replacement);
      handles.add(replacement);
    }
  }

  private void rename(CollectionStore handle, Random random) {
    store.engine.rename(handle, handle.info().namespace(), name(random), false);
  }

  private void update(CollectionStore handle) {
    store.engine.update(
        handle,
        info -> {
          int x = info.options().getInt32("x").getValue();
          return info.withOptions(new BsonDocument("x", new BsonInt32(x + 1)));
        });
    expected(handle).updates.incrementAndGet();
  }

  /** Each thread has an index of its own, so what it was told last is how it is. */
  private static IndexSpec index(int thread, boolean isHidden) {
    String name = "by" + thread;
    var document = BsonDocument.parse("{v: 2, key: {" + name + ": 1}, name: '" + name + "'}");
    return IndexSpec.of(isHidden ? document.append("hidden", new BsonInt32(1)) : document);
  }

  private void createIndex(CollectionStore handle, int thread) {
    IndexSpec spec = index(thread, false);
    if (handle.info().index(spec.name()) == null) {
      store.engine.createIndexes(handle, List.of(spec));
      expected(handle).indexes.add(spec.name());
    }
  }

  private void dropIndex(CollectionStore handle, int thread) {
    String name = index(thread, false).name();
    if (store.engine.dropIndex(handle, name)) {
      expected(handle).indexes.remove(name);
    }
  }

  private void changeIndex(CollectionStore handle, int thread, boolean isRebuilt) {
    if (isRebuilt) {
      store.engine.replaceIndex(handle, index(thread, true));
    } else {
      store.engine.alterIndex(handle, index(thread, true));
    }
  }

  private void split(CollectionStore handle, Random random) {
    List<PartitionStore> partitions = handle.partitions();
    var at = new EffectivePartitionKey(random.nextLong() >>> 2, random.nextLong()).toString();
    for (PartitionStore partition : partitions) {
      if (partitions.size() < 4 && partition.range().contains(at)) {
        store.engine.split(handle, partition.id(), at);
        return;
      }
    }
  }

  private void merge(CollectionStore handle) {
    List<PartitionStore> partitions = handle.partitions();
    if (partitions.size() > 1) {
      store.engine.merge(handle, partitions.get(0).id(), partitions.get(1).id());
    }
  }

  private void insert(CollectionStore handle) {
    int id = ids.incrementAndGet();
    var document = new BsonDocument("_id", new BsonInt32(id)).append("p", new BsonInt32(id));
    var insert = new WriteOperation.Insert(handle, RawDocument.of(document));
    var result = Lane.await(store.engine.commit(WriteBatch.of(insert), new WorkMeter()));
    if (result.outcomes().get(0).isApplied()) {
      expected(handle).documents.add(id);
    }
  }

  private void compareWithModel() {
    var alive = new TreeSet<UUID>();
    for (CollectionStore collection : store.engine.collections()) {
      Expected expected = model.get(collection.info().uuid());
      assertThat(expected).isNotNull();
      assertThat(expected.isGone).isFalse();
      alive.add(collection.info().uuid());
      assertThat(collection.info().options().getInt32("x").getValue())
          .isEqualTo(expected.updates.get());
      var indexes = new TreeSet<>(expected.indexes);
      indexes.add("_id_");
      assertThat(collection.info().readyIndexes())
          .extracting(IndexSpec::name)
          .containsExactlyInAnyOrderElementsOf(indexes);
      assertThat(idsIn(collection)).isEqualTo(new TreeSet<>(expected.documents));
      assertThat(store.engine.validate(collection)).isEmpty();
    }
    var expectedAlive = new TreeSet<UUID>();
    model.forEach(
        (uuid, expected) -> {
          if (!expected.isGone) {
            expectedAlive.add(uuid);
          }
        });
    assertThat(alive).isEqualTo(expectedAlive);
  }

  private static Set<Integer> idsIn(CollectionStore collection) {
    var found = new TreeSet<Integer>();
    for (PartitionStore partition : collection.partitions()) {
      var cursor = partition.scan(false);
      var meter = new WorkMeter();
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        found.add(one.document().field("_id").asInt32());
      }
    }
    return found;
  }

  private List<String> describeAll() {
    var described = new TreeMap<String, String>();
    for (CollectionStore collection : store.engine.collections()) {
      // Numbers that a failed build took are free again after a restart.
      described.put(
          collection.info().namespace().toString(),
          collection.info().withNextIndexId(0).toBson().toJson());
    }
    return List.copyOf(described.values());
  }
}
