package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A structure whose file is gone is made anew or reported, never taken for an empty one. */
final class LostFilesTest {
  private static final String KEY_INDEX = "index-2147483647";

  @TempDir Path root;

  private EngineHarness open(EngineOptions options) {
    var store = new EngineHarness(root.resolve("store"), options, new NoHooks());
    store.create("p", "{key: {v: 1}, name: 'v_1'}", "{key: {u: 1}, name: 'u_1', unique: true}");
    for (int i = 0; i < 300; i++) {
      insert(store, i);
    }
    return store;
  }

  private static void insert(EngineHarness store, int id) {
    store.insert("{_id: %d, p: 'key%d', v: %d, u: %d}".formatted(id, id % 7, id % 10, id));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"slots", "ids", "sizes", "index-0", "index-1", "index-2", "unique-2", KEY_INDEX})
  void aLostStructureIsMadeAnewAfterACleanStop(String name) throws IOException {
    try (var store = open(EngineHarness.quiet())) {
      var before = store.contents();
      store.engine.close();
      delete(store.files().resolve(name));
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      store.engine.verify();
      assertThat(store.contents()).isEqualTo(before);
      assertThat(store.engine.rebuilt())
          .singleElement()
          .satisfies(what -> assertThat(what).contains(name));
      store.reopen();
      store.engine.verify();
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void aCheckpointThatIsTooOldForTheLogIsNamedWithWhatToDo() throws IOException {
    try (var store =
        new EngineHarness(root.resolve("store"), EngineHarness.compacting(), new NoHooks())) {
      store.create(null);
      for (int i = 0; i < 50; i++) {
        store.insert(EngineHarness.document(i, 2_000));
      }
      store.engine.checkpoint();
      Path old = store.directory.resolveSibling("old");
      Files.copy(store.directory.resolve("checkpoint"), old);
      for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 50; i++) {
          store.replace(i, EngineHarness.document(i, 2_000 + round));
        }
      }
      store.engine.compact();
      store.engine.close();
      Path checkpoint = store.directory.resolve("checkpoint");
      Files.copy(old, checkpoint, StandardCopyOption.REPLACE_EXISTING);
      assertThatThrownBy(() -> ChronicleEngine.open(store.directory, store.options, store.hooks))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("orrery salvage")
          .hasMessageContaining("log");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"slots", "ids", "sizes", "index-1", "unique-2"})
  void aLostStructureIsMadeAnewWhenTheLogHasMoreThanTheCheckpoint(String name) throws IOException {
    try (var store = open(EngineHarness.quiet())) {
      store.engine.checkpoint();
      for (int i = 300; i < 340; i++) {
        insert(store, i);
      }
      var before = store.contents();
      Path copy = store.copyFiles();
      store.engine.close();
      store.directory = copy;
      delete(store.files().resolve(name));
      store.engine = ChronicleEngine.open(copy, store.options, store.hooks);
      store.engine.verify();
      assertThat(store.contents()).isEqualTo(before);
      assertThat(store.engine.rebuilt()).hasSize(1);
    }
  }

  @Test
  void anOldCopyOfAStructureIsNotTakenForTheNewest() throws IOException {
    try (var store = open(EngineHarness.quiet())) {
      store.engine.checkpoint();
      Path old = root.resolve("old-index");
      Files.copy(store.files().resolve("index-1"), old);
      for (int i = 300; i < 400; i++) {
        insert(store, i);
      }
      store.engine.close();
      Files.delete(store.files().resolve("index-1"));
      Files.copy(old, store.files().resolve("index-1"));
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      store.engine.verify();
      assertThat(store.engine.rebuilt()).hasSize(1);
    }
  }

  @Test
  void lostSlotsAreMadeOfTheIdsWhenTheLogIsNoLongerWhole() throws IOException {
    try (var store = compacted()) {
      var before = store.contents();
      store.engine.close();
      delete(store.files().resolve("slots"));
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      assertThat(store.contents()).isEqualTo(before);
      store.engine.verify();
    }
  }

  /** A log without some of its segments, in the rest of which are documents that were deleted. */
  private EngineHarness compacted() {
    var store = new EngineHarness(root.resolve("store"), EngineHarness.compacting(), new NoHooks());
    store.create(null);
    for (int i = 1; i < 200; i++) {
      store.insert(EngineHarness.document(i, 1_000));
    }
    for (int i = 0; i < 300; i++) {
      store.replace(1, EngineHarness.document(1, 1_000));
      if (i % 10 == 0) {
        store.delete(2 + i / 10); // among what is compacted
      }
    }
    assertThat(store.engine.compact()).isPositive();
    return store;
  }

  @Test
  void lostSlotsAndIdsAreMadeOfAnIndexWhenTheLogIsNoLongerWhole() throws IOException {
    try (var store = compacted()) {
      var before = store.contents();
      store.engine.close();
      EngineHarness.damage(store.files().resolve("slots"), 50);
      delete(store.files().resolve("ids"));
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      assertThat(store.contents()).isEqualTo(before);
      store.engine.verify();
      assertThat(store.engine.rebuilt()).hasSize(2);
      store.reopen();
      store.engine.verify();
      assertThat(store.engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void theyAreMadeOfItAlsoWhenTheLogHasMoreThanTheIndex() throws IOException {
    try (var store = compacted()) {
      store.engine.checkpoint();
      for (int i = 0; i < 60; i++) {
        store.insert(EngineHarness.document(1_000 + i, 100));
        store.delete(i % 2 == 0 ? 1_000 + i : 100 + i);
        store.replace(99, EngineHarness.document(99, 10 + i));
      }
      var before = store.contents();
      Path copy = store.copyFiles();
      store.engine.close();
      store.directory = copy;
      delete(store.files().resolve("slots"));
      delete(store.files().resolve("ids"));
      store.engine = ChronicleEngine.open(copy, store.options, store.hooks);
      assertThat(store.contents()).isEqualTo(before);
      store.engine.verify();
    }
  }

  @Test
  void lostSlotsIdsAndIndexesAreReportedWhenTheLogIsNoLongerWhole() throws IOException {
    try (var store = compacted()) {
      store.engine.close();
      EngineHarness.damage(store.files().resolve("slots"), 50);
      delete(store.files().resolve("ids"));
      delete(store.files().resolve("index-0"));
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatThrownBy(store::contents)
            .isInstanceOf(StorageException.class)
            .hasMessageContaining(store.files().toString())
            .hasMessageContaining("slots")
            .hasMessageContaining("orrery salvage");
        assertThat(store.files().resolve("slots")).exists();
      }
      assertThatThrownBy(() -> store.insert(new BsonDocument())).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"slots", "index-1", "ids/MANIFEST"})
  void aDamagedStructureIsMadeAnewAndNamedWithItsFile(String name) throws IOException {
    try (var store = open(EngineHarness.quiet())) {
      store.engine.close();
      Path file = store.files().resolve(name);
      EngineHarness.damage(file, 50);
      store.engine = ChronicleEngine.open(store.directory, store.options, store.hooks);
      store.engine.verify();
      assertThat(store.engine.rebuilt())
          .singleElement()
          .satisfies(
              what ->
                  assertThat(what)
                      .contains("partition 0 of db.things", file.toString(), "checksum"));
    }
  }

  @Test
  void aLogThatEndsBeforeTheCheckpointIsReported() throws IOException {
    try (var store = open(EngineHarness.quiet())) {
      Path early = store.copyFiles();
      insert(store, 1_000);
      store.engine.checkpoint();
      Files.copy(
          store.directory.resolve("checkpoint"),
          early.resolve("checkpoint"),
          StandardCopyOption.REPLACE_EXISTING);
      assertThatThrownBy(() -> ChronicleEngine.open(early, store.options, store.hooks))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("the log ends with group");
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
