package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.reshape.PartitionSplit;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.storage.upkeep.CheckpointFile;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Structures whose checksums are right but which cannot be what the log says. */
final class DistrustTest {
  private static final Namespace OTHER = new Namespace("db", "others");

  @TempDir Path root;

  private EngineHarness open() {
    var store = new EngineHarness(root.resolve("store"), EngineHarness.quiet(), new NoHooks());
    store.create("p", "{key: {v: 1}, name: 'v_1'}", "{key: {u: 1}, name: 'u_1', unique: true}");
    insert(store, 0, 300);
    return store;
  }

  private static void insert(EngineHarness store, int from, int to) {
    for (int i = from; i < to; i++) {
      store.insert(document(i, i));
    }
  }

  private static BsonDocument document(int id, int unique) {
    return BsonDocument.parse(
        "{_id: %d, p: 'key%d', v: %d, u: %d}".formatted(id, unique % 7, id % 10, unique));
  }

  private static WriteOutcome.Status tryInsert(EngineHarness store, BsonDocument document) {
    var insert = new WriteOperation.Insert(store.store(), RawDocument.of(document));
    var result = Lane.await(store.engine.commit(WriteBatch.of(insert), new WorkMeter()));
    return result.outcomes().get(0).status();
  }

  /** Makes the unique index forget a key and remember another that nobody has. */
  private static void forget(EngineHarness store, boolean isCountKept) {
    PartitionFiles files = store.partition().files();
    OrderedIndex index = files.require(store.store().info().index("u_1").spec());
    var keys = ((ChronicleCollection) store.store()).keys();
    PrimaryKey key = keys.of(RawDocument.of(document(7, 7)));
    byte[] indexKey = index.keysOf(RawDocument.of(document(7, 7))).get(0);
    index.unique().remove(PrimaryKeys.uniqueKey(key.logicalKey(), indexKey));
    if (isCountKept) {
      byte[] stale = index.keysOf(RawDocument.of(document(7007, 7007))).get(0);
      index.unique().put(PrimaryKeys.uniqueKey(key.logicalKey(), stale), 8);
    }
    store.partition().markChanged();
  }

  private static void requireHealed(EngineHarness store) {
    assertThat(tryInsert(store, document(1_000, 7))).isEqualTo(WriteOutcome.Status.DUPLICATE);
    assertThat(tryInsert(store, document(7_007, 7_007))).isEqualTo(WriteOutcome.Status.APPLIED);
    store.engine.verify();
  }

  /** Takes from the checkpoint what older versions did not write. */
  private static void makeOld(EngineHarness store) {
    var file = new CheckpointFile(store.directory.resolve("checkpoint"), false);
    CheckpointFile.Content content = file.read();
    var stamps = new TreeMap<String, Map<String, Long>>(content.stamps());
    stamps.values().forEach(one -> one.remove(PartitionFiles.COMPARED));
    file.write(
        new CheckpointFile.Content(
            content.store(), content.replayFrom(), content.catalog(), content.garbage(), stamps));
  }

  @Test
  void aUniqueIndexThatAnOlderVersionLetForgetIsHealed() {
    try (var store = open()) {
      forget(store, true);
      store.engine.close();
      makeOld(store);
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      requireHealed(store);
      assertThat(store.engine.rebuilt())
          .singleElement()
          .satisfies(what -> assertThat(what).contains("partition 0 of db.things", "unique-2"));
      store.reopen();
      store.engine.verify();
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void itIsHealedAlsoWhenTheLogHasMore() {
    try (var store = open()) {
      forget(store, true);
      store.engine.checkpoint();
      insert(store, 300, 340);
      Path copy = store.copyFiles();
      store.engine.close();
      store.directory = copy;
      makeOld(store);
      store.engine = ChronicleEngine.open(copy, store.options, store.hooks);
      requireHealed(store);
      assertThat(store.engine.rebuilt()).hasSize(1);
    }
  }

  @Test
  void aPartitionThatNobodyOpensIsComparedWhenSomebodyDoes() {
    try (var store = open()) {
      forget(store, true);
      store.createNamed(OTHER, null);
      store.engine.close();
      makeOld(store);
      for (int start = 0; start < 2; start++) {
        store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
        var other = store.engine.find(OTHER);
        var document = RawDocument.of(document(start, start));
        Lane.await(
            store.engine.commit(
                WriteBatch.of(new WriteOperation.Insert(other, document)), new WorkMeter()));
        store.engine.close(); // writes a checkpoint
      }
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      requireHealed(store);
    }
  }

  @Test
  void itIsHealedAlsoWhenAnotherStructureIsDamaged() throws IOException {
    try (var store = open()) {
      forget(store, true);
      store.engine.close();
      makeOld(store);
      EngineHarness.damage(store.files().resolve("index-1"), 5_000);
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      requireHealed(store);
      assertThat(store.engine.rebuilt()).hasSize(2);
    }
  }

  @Test
  void aDocumentThatCannotBeReadKeepsNoneOfTheOthersFromBeingFound() throws IOException {
    try (var store = open()) {
      store.engine.close();
      makeOld(store);
      Path segment = store.directory.resolve("log").resolve("0000000000000001.log");
      EngineHarness.damage(segment, 20_000);
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      assertThat(tryInsert(store, document(1_000, 7))).isEqualTo(WriteOutcome.Status.DUPLICATE);
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void aHealthyStoreOfAnOlderVersionIsLeftAlone() {
    try (var store = open()) {
      store.engine.close();
      makeOld(store);
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      store.engine.verify();
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void numbersOfEntriesThatDifferAreEnough() {
    try (var store = open()) {
      forget(store, false);
      store.reopen();
      requireHealed(store);
      assertThat(store.engine.rebuilt()).hasSize(2); // the tree and the map: who is right?
    }
  }

  @Test
  void aDocumentWithoutAKeyGetsOne() {
    try (var store = open()) {
      var keys = ((ChronicleCollection) store.store()).keys();
      byte[] key = keys.of(RawDocument.of(document(7, 7))).bytes();
      store.partition().files().ids().remove(key);
      store.partition().markChanged();
      store.reopen();
      assertThat(Lane.await(store.partition().find(key, new WorkMeter()))).isNotNull();
      store.engine.verify();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"slots", "ids", "sizes", "index-0", "index-1", "index-2", "unique-2"})
  void aStructureThatIsNewerThanTheLogIsMadeAnew(String name) throws IOException {
    try (var store = open()) {
      store.engine.checkpoint();
      Path early = store.copyFiles();
      store.delete(BsonDocument.parse("{_id: 7, p: 'key0'}"));
      insert(store, 300, 400);
      store.engine.checkpoint();
      replace(store.files().resolve(name), early.resolve("partitions/1-0").resolve(name));
      store.engine.close();
      store.directory = early;
      store.engine = ChronicleEngine.open(early, store.options, store.hooks);
      assertThat(store.contents()).hasSize(300);
      store.engine.verify();
      assertThat(store.engine.rebuilt())
          .singleElement()
          .satisfies(what -> assertThat(what).contains(name, "newer than the log"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"slots", "ids", "sizes", "index-0", "index-1", "index-2", "unique-2"})
  void whatAChildLostBeforeItsFirstCheckpointIsMadeAnew(String name) throws IOException {
    try (var store = open()) {
      store.engine.checkpoint();
      var collection = (ChronicleCollection) store.store();
      new PartitionSplit(store.engine.parts(), collection)
          .run(0, "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", done -> {});
      insert(store, 300, 320);
      Path copy = store.copyFiles();
      delete(copy.resolve("partitions/1-1").resolve(name));
      store.engine.close();
      store.directory = copy;
      store.engine = ChronicleEngine.open(copy, store.options, store.hooks);
      assertThat(store.contents()).hasSize(320);
      store.engine.verify();
      assertThat(store.engine.rebuilt()).hasSize(1);
    }
  }

  @Test
  void whatIsLeftOfADroppedIndexGoes() throws IOException {
    try (var store = open()) {
      store.engine.checkpoint();
      Path copy = store.copyFiles();
      store.engine.close();
      store.directory = copy;
      List<Path> leavings = new ArrayList<>();
      for (String name : List.of("index-9", "index-9.redo", "index-9.new", "unique-9")) {
        leavings.add(store.files().resolve(name));
      }
      Files.createDirectory(leavings.get(3));
      for (Path path : List.of(leavings.get(0), leavings.get(1), leavings.get(2))) {
        Files.writeString(path, "not an index");
      }
      Files.writeString(leavings.get(3).resolve("MANIFEST"), "not a manifest");
      store.engine = ChronicleEngine.open(copy, store.options, store.hooks);
      store.engine.verify();
      assertThat(leavings).allSatisfy(path -> assertThat(path).doesNotExist());
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  private static void replace(Path from, Path to) throws IOException {
    delete(to);
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        Files.copy(one, to.resolve(from.relativize(one).toString()));
      }
    }
  }

  private static void delete(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }
}
