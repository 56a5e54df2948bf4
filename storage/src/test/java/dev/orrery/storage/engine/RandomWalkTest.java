package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.UniqueViolationException;
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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Thousands of random operations on one collection, compared with plain maps: inserts, replaces,
 * deletes and batches, with index builds, splits, checkpoints, compactions, restarts and crashes in
 * between.
 */
final class RandomWalkTest {
  private static final Namespace NAMESPACE = new Namespace("db", "walk");

  @TempDir Path root;
  private ChronicleEngine engine;
  private Path directory;
  private WalkModel model;
  private Random random;
  private boolean isPartitioned;
  private int crashes;

  @AfterEach
  void close() {
    engine.close();
  }

  @ParameterizedTest
  @CsvSource({"1, true", "2, false", "3, true"})
  void theStoreHoldsWhatTheModelHolds(long seed, boolean partitioned) {
    random = new Random(seed);
    isPartitioned = partitioned;
    model = new WalkModel(partitioned);
    directory = root.resolve("store");
    engine = open();
    create();
    for (int step = 1; step <= 1_500; step++) {
      change();
      if (step % 50 == 0) {
        disturb();
      }
      if (step % 200 == 0) {
        compare();
      }
    }
    compare();
    assertThat(crashes).isPositive();
  }

  private ChronicleEngine open() {
    var log = LogOptions.defaults().withFsync(false).withSegmentBytes(64 << 10);
    var options =
        EngineOptions.defaults()
            .with(log)
            .with(new EngineOptions.Checkpoints(Long.MAX_VALUE, Long.MAX_VALUE))
            .with(new EngineOptions.Compacting(0))
            .with(EngineHarness.SMALL_MAPS);
    return ChronicleEngine.open(directory, options, new NoHooks());
  }

  private void create() {
    engine.create(
        NAMESPACE,
        new CollectionInfo.Creation(
            new BsonDocument(),
            isPartitioned ? "p" : null,
            List.of(IndexSpec.idIndex()),
            isPartitioned ? 2 : 1,
            new BsonDocument()));
  }

  private CollectionStore store() {
    return engine.find(NAMESPACE);
  }

  private void change() {
    List<BsonDocument> all = model.all();
    int dice = random.nextInt(10);
    if (all.isEmpty() || dice < 5) {
      insert(randomDocument());
    } else if (dice < 7) {
      replace(all.get(random.nextInt(all.size())));
    } else if (dice < 9) {
      delete(all.get(random.nextInt(all.size())));
    } else {
      insertBatch();
    }
  }

  private BsonDocument randomDocument() {
    var document = new BsonDocument("_id", new BsonInt32(random.nextInt(2_000)));
    if (random.nextInt(10) > 0) {
      document.append("p", new BsonString("key" + random.nextInt(40)));
    }
    document.append("u", new BsonInt32(random.nextInt(1_000_000)));
    document.append("a", new BsonInt32(random.nextInt(50)));
    document.append("x", new BsonString("x".repeat(random.nextInt(400))));
    return document;
  }

  private void insert(BsonDocument document) {
    boolean isExpected = model.accepts(document, null);
    boolean isApplied = commit(() -> new WriteOperation.Insert(store(), RawDocument.of(document)));
    assertThat(isApplied).isEqualTo(isExpected);
    if (isApplied) {
      model.put(document);
    }
  }

  private void insertBatch() {
    var operations = new ArrayList<WriteOperation>();
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < 1 + random.nextInt(20); i++) {
      var document = randomDocument();
      documents.add(document);
      operations.add(new WriteOperation.Insert(store(), RawDocument.of(document)));
    }
    var result =
        Lane.await(
            engine.commit(
                new WriteBatch(operations, WriteBatch.OnFailure.CONTINUE), new WorkMeter()));
    for (int i = 0; i < documents.size(); i++) {
      boolean isExpected = model.accepts(documents.get(i), null);
      assertThat(result.outcomes().get(i).isApplied()).isEqualTo(isExpected);
      if (isExpected) {
        model.put(documents.get(i));
      }
    }
  }

  private void replace(BsonDocument old) {
    var fresh = randomDocument().append("_id", old.get("_id"));
    fresh.remove("p");
    if (old.containsKey("p")) {
      fresh.append("p", old.get("p"));
    }
    boolean isExpected = model.accepts(fresh, old);
    var after = RawDocument.of(fresh);
    boolean isApplied = commit(() -> new WriteOperation.Replace(store(), find(old), after));
    assertThat(isApplied).isEqualTo(isExpected);
    if (isApplied) {
      model.remove(old);
      model.put(fresh);
    }
  }

  private void delete(BsonDocument old) {
    assertThat(commit(() -> new WriteOperation.Delete(store(), find(old)))).isTrue();
    model.remove(old);
  }

  private StoredDocument find(BsonDocument document) {
    RawValue key =
        isPartitioned && document.containsKey("p") ? RawValue.of(document.get("p")) : null;
    byte[] primaryKey = store().primaryKey(key, RawValue.of(document.get("_id")));
    return Lane.await(store().partitionOf(key).find(primaryKey, new WorkMeter()));
  }

  /** Reads and tries again when compaction moved the document in between. */
  private boolean commit(Supplier<WriteOperation> operation) {
    WriteOutcome outcome;
    do {
      var batch = WriteBatch.of(operation.get());
      outcome = Lane.await(engine.commit(batch, new WorkMeter())).outcomes().get(0);
    } while (outcome.status() == WriteOutcome.Status.CONFLICT);
    return outcome.isApplied();
  }

  private void disturb() {
    switch (random.nextInt(8)) {
      case 0 -> engine.checkpoint();
      case 1 -> engine.compact();
      case 2 -> toggleIndex("a_1", "{key: {a: 1}, name: 'a_1'}");
      case 3 -> buildUnique();
      case 4 -> split();
      case 5 -> {
        engine.close();
        engine = open();
      }
      default -> crash();
    }
  }

  private void toggleIndex(String name, String spec) {
    if (!engine.dropIndex(store(), name)) {
      engine.createIndexes(store(), List.of(IndexSpec.of(BsonDocument.parse(spec))));
    }
  }

  private void buildUnique() {
    if (store().info().index("u_1") != null) {
      return;
    }
    var spec = IndexSpec.of(BsonDocument.parse("{key: {u: 1}, name: 'u_1', unique: true}"));
    boolean isExpected = model.couldBeUnique();
    boolean isBuilt = true;
    try {
      engine.createIndexes(store(), List.of(spec));
      model.beUnique();
    } catch (UniqueViolationException e) {
      isBuilt = false;
    }
    assertThat(isBuilt).isEqualTo(isExpected);
  }

  private void split() {
    var collection = (ChronicleCollection) store();
    var partition =
        collection.physicalPartitions().get(random.nextInt(collection.physicalPartitions().size()));
    String boundary = SplitPoint.of(partition.files(), partition.range());
    if (boundary != null && collection.physicalPartitions().size() < 20) {
      engine.split(collection, partition.id(), boundary);
    }
  }

  /** Goes on with a copy of the files as they are on disk, as after kill -9. */
  private void crash() {
    Path copy = root.resolve("store-" + ++crashes);
    engine
        .parts()
        .exclusively(
            () -> {
              copy(directory, copy);
              return null;
            });
    engine.close();
    delete(directory);
    directory = copy;
    engine = open();
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void compare() {
    var found = new ArrayList<BsonDocument>();
    for (PartitionStore partition : store().partitions()) {
      var cursor = partition.scan(random.nextBoolean());
      var meter = new WorkMeter();
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        found.add(one.document().toBsonDocument());
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(model.all());
    assertThat(engine.validate(store())).isEmpty();
  }
}
