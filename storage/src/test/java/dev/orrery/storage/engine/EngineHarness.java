package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * An engine with one collection for tests: small segments, no fsync, and nothing in the background
 * unless it is asked for.
 */
final class EngineHarness implements AutoCloseable {
  static final Namespace NAMESPACE = new Namespace("db", "things");

  /** So that a few hundred documents are enough for maps in files, and for maps that are split. */
  static final EngineOptions.Maps SMALL_MAPS = new EngineOptions.Maps(64, 500);

  final StorageHooks hooks;
  final EngineOptions options;
  Path directory;
  ChronicleEngine engine;
  private int copies;

  EngineHarness(Path directory) {
    this(directory, quiet(), new NoHooks());
  }

  EngineHarness(Path directory, EngineOptions options, StorageHooks hooks) {
    this.directory = directory;
    this.options = options;
    this.hooks = hooks;
    this.engine = ChronicleEngine.open(directory, options, hooks);
  }

  static EngineOptions quiet() {
    return EngineOptions.defaults()
        .with(LogOptions.defaults().withFsync(false).withSegmentBytes(64 << 10))
        .with(new EngineOptions.Checkpoints(Long.MAX_VALUE, Long.MAX_VALUE))
        .with(new EngineOptions.Compacting(Long.MAX_VALUE))
        .with(SMALL_MAPS);
  }

  /** As {@link #quiet}, but garbage is removed when {@link ChronicleEngine#compact} is called. */
  static EngineOptions compacting() {
    return quiet().with(new EngineOptions.Compacting(0));
  }

  CollectionStore create(String partitionKey, String... indexes) {
    var created = createNamed(NAMESPACE, partitionKey);
    for (String index : indexes) {
      createIndex(index);
    }
    return created;
  }

  CollectionStore createNamed(Namespace namespace, String partitionKey) {
    return engine.create(
        namespace,
        new CollectionInfo.Creation(
            new BsonDocument(), partitionKey, List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
  }

  void createIndex(String spec) {
    engine.createIndexes(store(), List.of(IndexSpec.of(BsonDocument.parse(spec))));
  }

  CollectionStore store() {
    return engine.find(NAMESPACE);
  }

  PhysicalPartition partition() {
    return ((ChronicleCollection) store()).physicalPartitions().get(0);
  }

  Path files() {
    return directory.resolve("partitions").resolve("1-0");
  }

  void insert(int id) {
    insert(new BsonDocument("_id", new BsonInt32(id)).append("v", new BsonInt32(id)));
  }

  void insert(String json) {
    insert(BsonDocument.parse(json));
  }

  void insert(BsonDocument document) {
    commit(() -> new WriteOperation.Insert(store(), RawDocument.of(document)));
  }

  void replace(int id, BsonDocument document) {
    commit(() -> new WriteOperation.Replace(store(), find(id), RawDocument.of(document)));
  }

  void delete(int id) {
    commit(() -> new WriteOperation.Delete(store(), find(id)));
  }

  /** Deletes a document of a collection that has a partition key. */
  void delete(BsonDocument key) {
    commit(
        () -> {
          var partitionKey = RawValue.of(key.get(store().info().partitionKey()));
          byte[] primary = store().primaryKey(partitionKey, RawValue.of(key.get("_id")));
          var found = Lane.await(store().partitionOf(partitionKey).find(primary, new WorkMeter()));
          return new WriteOperation.Delete(store(), found);
        });
  }

  /** Reads and tries again when compaction moved the document in between. */
  private void commit(Supplier<WriteOperation> operation) {
    WriteOutcome outcome;
    do {
      var batch = WriteBatch.of(operation.get());
      outcome = Lane.await(engine.commit(batch, new WorkMeter())).outcomes().get(0);
    } while (outcome.status() == WriteOutcome.Status.CONFLICT);
    assertThat(outcome.isApplied()).isTrue();
  }

  StoredDocument find(int id) {
    byte[] key = store().primaryKey(null, RawValue.of(new BsonInt32(id)));
    return Lane.await(store().partitionOf(null).find(key, new WorkMeter()));
  }

  /** A document of a collection with a partition key, by its keys. */
  static StoredDocument find(CollectionStore store, BsonDocument keys) {
    var partitionKey = RawValue.of(keys.get(store.info().partitionKey()));
    byte[] primary = store.primaryKey(partitionKey, RawValue.of(keys.get("_id")));
    return Lane.await(store.partitionOf(partitionKey).find(primary, new WorkMeter()));
  }

  /** All documents by id, from a scan; each must also be found by its key. */
  Map<Integer, BsonDocument> contents() {
    return contents(store());
  }

  static Map<Integer, BsonDocument> contents(CollectionStore store) {
    var all = new TreeMap<Integer, BsonDocument>();
    for (PartitionStore partition : store.partitions()) {
      var meter = new WorkMeter();
      var cursor = partition.scan(false);
      for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
        var document = one.document().toBsonDocument();
        assertThat(all.put(document.getInt32("_id").getValue(), document)).isNull();
      }
    }
    return all;
  }

  static BsonDocument document(int id, int payloadBytes) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("v", new BsonInt32(id))
        .append("x", new BsonString("x".repeat(payloadBytes)));
  }

  void reopen() {
    engine.close();
    engine = ChronicleEngine.open(directory, options, hooks);
  }

  /** Goes on with a copy of the files as they are now, as after kill -9. */
  void crash() {
    goOnWith(copyFiles());
  }

  void goOnWith(Path copy) {
    engine.close();
    directory = copy;
    engine = ChronicleEngine.open(directory, options, hooks);
  }

  /** Copies the files at one moment: neither a checkpoint nor a compaction is under way. */
  Path copyFiles() {
    Path copy = directory.resolveSibling("copy-" + ++copies);
    return engine
        .parts()
        .exclusively(
            () -> {
              copy(directory, copy);
              return copy;
            });
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

  /** Deletes a file, or a directory with all that is in it. */
  static void delete(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }

  /** Flips one bit of a file. */
  static void damage(Path file, long offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[Math.toIntExact(offset)] ^= 0x10;
    Files.write(file, bytes);
  }

  @Override
  public void close() {
    engine.close();
  }
}
