package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.upkeep.CheckpointFile;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that are whole and in the wrong place: copied or moved from another partition, collection,
 * index or store, or of another kind. None is believed.
 *
 * <p>{@code -Dkill.every=true} puts each into the place of every other, instead of some.
 */
final class ForeignFilesTest {
  private static final boolean IS_EVERY = Boolean.getBoolean("kill.every");

  @TempDir Path root;
  private ForeignStore store;
  private int rounds;

  @BeforeEach
  void make() {
    store = new ForeignStore(root.resolve("store"), EngineHarness.quiet());
  }

  private interface Step {
    void run(Path copy) throws IOException;
  }

  /** Hurts a copy, opens it twice, and compares everything with the documents. */
  private void check(Step step, List<Path> named) throws IOException {
    Path copy = root.resolve("round" + ++rounds);
    ForeignStore.copy(store.directory, copy);
    step.run(copy);
    for (int start = 0; start < 2; start++) {
      try (var engine = store.open(copy)) {
        ForeignStore.check(engine);
        var said = new TreeSet<>(engine.rebuilt());
        if (start > 0) {
          assertThat(said).isEmpty();
        }
        for (Path file : start == 0 ? named : List.<Path>of()) {
          String path = copy.resolve(store.directory.relativize(file)).toString();
          assertThat(said).anySatisfy(what -> assertThat(what).contains("of db.", path));
        }
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(named + ", start " + start, e);
      }
    }
    EngineHarness.delete(copy);
  }

  private static Path in(Path copy, Path store, Path file) {
    return copy.resolve(store.relativize(file));
  }

  private void exchange(Path one, Path other) throws IOException {
    check(
        copy -> {
          Path left = in(copy, store.directory, one);
          Path right = in(copy, store.directory, other);
          Path between = copy.resolve("between");
          Files.move(left, between);
          Files.move(right, left);
          Files.move(between, right);
        },
        List.of(one, other));
  }

  private void replace(Path one, Path other) throws IOException {
    check(
        copy -> {
          Path target = in(copy, store.directory, one);
          EngineHarness.delete(target);
          ForeignStore.copy(other, target);
        },
        List.of(one));
  }

  @Test
  void structuresOfOneNameExchangedBetweenPartitionsAreMadeAnew() throws IOException {
    List<Path> partitions = ForeignStore.partitions(store.directory);
    assertThat(partitions).hasSize(4);
    int turn = 0;
    for (Path structure : ForeignStore.structures(partitions.get(0))) {
      for (Path other : partitions.subList(1, partitions.size())) {
        if (IS_EVERY || turn++ % 2 == 0) {
          exchange(structure, other.resolve(structure.getFileName()));
        }
      }
    }
  }

  @Test
  void manifestsExchangedBetweenPartitionsAreMadeAnew() throws IOException {
    List<Path> partitions = ForeignStore.partitions(store.directory);
    for (String map : List.of("ids", "sizes", "unique-2")) {
      Path manifest = partitions.get(0).resolve(map).resolve("MANIFEST");
      for (Path other : List.of(partitions.get(1), partitions.get(3))) {
        exchangeManifests(manifest, other.resolve(map).resolve("MANIFEST"));
      }
    }
  }

  private void exchangeManifests(Path one, Path other) throws IOException {
    check(
        copy -> {
          Path left = in(copy, store.directory, one);
          byte[] bytes = Files.readAllBytes(left);
          Path right = in(copy, store.directory, other);
          Files.write(left, Files.readAllBytes(right));
          Files.write(right, bytes);
        },
        List.of(one.getParent(), other.getParent()));
  }

  @Test
  void aStructureInThePlaceOfAnotherOfItsPartitionIsMadeAnew() throws IOException {
    Path partition = ForeignStore.partitions(store.directory).get(1);
    int turn = 0;
    for (Path one : ForeignStore.structures(partition)) {
      for (Path other : ForeignStore.structures(partition)) {
        if (!one.equals(other) && (IS_EVERY || turn++ % 2 == 0)) {
          replace(one, other);
        }
      }
    }
  }

  @Test
  void aManifestOfAnotherMapIsMadeAnew() throws IOException {
    Path partition = ForeignStore.partitions(store.directory).get(1);
    List<String> maps = List.of("ids", "sizes", "unique-2");
    for (String one : maps) {
      for (String other : maps) {
        if (!one.equals(other)) {
          Path from = partition.resolve(other).resolve("MANIFEST");
          check(
              copy ->
                  Files.write(
                      in(copy, store.directory, partition.resolve(one).resolve("MANIFEST")),
                      Files.readAllBytes(from)),
              List.of(partition.resolve(one)));
        }
      }
    }
  }

  @Test
  void wholeFoldersOfPartitionsExchangedAreMadeAnew() throws IOException {
    List<Path> partitions = ForeignStore.partitions(store.directory);
    for (Path other : partitions.subList(1, partitions.size())) {
      exchange(partitions.get(0), other);
    }
  }

  @Test
  void whatIsCopiedFromAnotherStoreIsMadeAnew() throws IOException {
    var twin = new ForeignStore(root.resolve("twin"), EngineHarness.quiet());
    int turn = 0;
    for (Path file : ForeignStore.allStructures(store.directory)) {
      if (IS_EVERY || turn++ % 3 == 0) { // seven in each partition
        replace(file, twin.directory.resolve(store.directory.relativize(file)));
      }
    }
  }

  @Test
  void aCheckWithRepairMakesAnewWhatIsForeign() throws IOException {
    List<Path> partitions = ForeignStore.partitions(store.directory);
    Path copy = root.resolve("checked");
    ForeignStore.copy(store.directory, copy);
    for (Path structure : ForeignStore.structures(partitions.get(0))) {
      Path target = in(copy, store.directory, structure);
      EngineHarness.delete(target);
      ForeignStore.copy(partitions.get(2).resolve(structure.getFileName()), target);
    }
    assertThat(new StoreCheck(copy, new NoHooks(), line -> {}, true).run()).isEmpty();
    assertThat(new StoreCheck(copy, new NoHooks(), line -> {}).run()).isEmpty();
  }

  @Test
  void copiesRenamesSplitsAndMergesKeepFilesWhatTheyAre() throws IOException {
    Path copy = root.resolve("copied");
    ForeignStore.copy(store.directory, copy);
    var other = new Namespace("db", "other");
    try (var engine = store.open(copy)) {
      ForeignStore.check(engine);
      assertThat(rename(engine, ForeignStore.FIRST, other)).isTrue();
      var second = engine.find(ForeignStore.SECOND);
      engine.merge(second, 1, 2);
      engine.split(second, 3, "10000000000000000000000000000000");
      engine.repair(second, () -> {});
    }
    for (int start = 0; start < 2; start++) {
      try (var engine = store.open(copy)) {
        rename(engine, other, ForeignStore.FIRST);
        ForeignStore.check(engine);
        rename(engine, ForeignStore.FIRST, other);
        assertThat(engine.rebuilt()).isEmpty();
      }
    }
  }

  @Test
  void aLostCheckpointMakesNoFileAStranger() throws IOException {
    Path copy = root.resolve("copied");
    ForeignStore.copy(store.directory, copy);
    Files.delete(copy.resolve("checkpoint"));
    try (var engine = store.open(copy)) {
      ForeignStore.check(engine);
      assertThat(engine.rebuilt()).isEmpty();
    }
  }

  /** As when somebody went back to an older version and came again. */
  @Test
  void aCheckpointThatDoesNotSayWhichStoreItIsOfMakesNoFileAStranger() throws IOException {
    Path copy = root.resolve("copied");
    ForeignStore.copy(store.directory, copy);
    var file = new CheckpointFile(copy.resolve("checkpoint"), false);
    CheckpointFile.Content before = file.read();
    before.stamps().values().forEach(stamps -> stamps.remove(PartitionFiles.OWNED));
    file.write(before.withStore(0));
    try (var engine = store.open(copy)) {
      ForeignStore.check(engine);
      assertThat(engine.rebuilt()).isEmpty();
    }
    assertThat(file.read().store()).isEqualTo(before.store()).isNotZero();
  }

  @Test
  void aCheckpointThatIsADirectoryIsReplaced() throws IOException {
    Path copy = root.resolve("copied");
    ForeignStore.copy(store.directory, copy);
    Path checkpoint = copy.resolve("checkpoint");
    Files.delete(checkpoint);
    Files.createDirectory(checkpoint);
    Files.writeString(checkpoint.resolve("a"), "b");
    for (int start = 0; start < 2; start++) {
      try (var engine = store.open(copy)) {
        ForeignStore.check(engine);
        assertThat(engine.rebuilt()).hasSize(1 - start);
      }
    }
  }

  @Test
  void aStoreOfAnOlderVersionIsComparedAndItsFilesSayWhoseTheyAreFromThenOn() throws IOException {
    Path copy = root.resolve("old");
    ForeignStore.copy(store.directory, copy);
    store.makeOld(copy);
    try (var engine = store.open(copy)) {
      ForeignStore.check(engine);
      assertThat(engine.rebuilt()).isEmpty();
    }
    var content = new CheckpointFile(copy.resolve("checkpoint"), false).read();
    assertThat(content.store()).isNotZero();
    assertThat(content.stamps().values())
        .hasSize(4)
        .allSatisfy(stamps -> assertThat(stamps).containsKey(PartitionFiles.OWNED));
    try (var engine = store.open(copy)) {
      ForeignStore.check(engine);
      assertThat(engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void inAStoreOfAnOlderVersionTheDocumentsTellWhatIsForeign() throws IOException {
    for (String name : List.of("slots", "ids", "sizes", "index-0", "index-1", "unique-2", ".")) {
      Path copy = root.resolve("old" + ++rounds);
      ForeignStore.copy(store.directory, copy);
      store.makeOld(copy);
      List<Path> partitions = ForeignStore.partitions(copy);
      Path target = partitions.get(0).resolve(name).normalize();
      EngineHarness.delete(target);
      ForeignStore.copy(partitions.get(2).resolve(name).normalize(), target);
      for (int start = 0; start < 2; start++) {
        try (var engine = store.open(copy)) {
          ForeignStore.check(engine);
          assertThat(engine.rebuilt().isEmpty()).as(name).isEqualTo(start == 1);
        }
      }
    }
  }

  @Test
  void aFileThatDoesNotSayWhoseItIsAmongThoseThatDoIsMadeAnew() throws IOException {
    Path partition = ForeignStore.partitions(store.directory).get(2);
    for (Path structure : ForeignStore.structures(partition)) {
      check(
          copy -> {
            Path target = in(copy, store.directory, structure);
            if (Files.isDirectory(target)) {
              ForeignStore.disownManifest(target.resolve("MANIFEST"));
            } else {
              ForeignStore.disownPages(target);
            }
          },
          List.of(structure));
    }
  }

  @Test
  void aFolderInTheWrongPlaceIsNamedAndKeptWhenTheLogIsNoLongerWhole() throws IOException {
    var compacted = new ForeignStore(root.resolve("compacted"), EngineHarness.compacting());
    List<Path> partitions = ForeignStore.partitions(compacted.directory);
    Set<Path> before = new TreeSet<>(ForeignStore.structures(partitions.get(0)));
    Path between = root.resolve("between");
    exchangePaths(partitions.get(0), partitions.get(2), between);
    try (var engine = compacted.open(compacted.directory)) {
      assertThatThrownBy(() -> ForeignStore.check(engine))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(partitions.get(0).resolve("slots").toString())
          .hasMessageContaining("it has the slots of partition 1 of collection 2")
          .hasMessageContaining("orrery salvage");
    }
    assertThat(ForeignStore.structures(partitions.get(0))).containsExactlyElementsOf(before);
    exchangePaths(partitions.get(0), partitions.get(2), between);
    try (var engine = compacted.open(compacted.directory)) {
      ForeignStore.check(engine);
      assertThat(engine.rebuilt()).isEmpty();
    }
  }

  @Test
  void singleStructuresAreMadeAnewAlsoWhenTheLogIsNoLongerWhole() throws IOException {
    store = new ForeignStore(root.resolve("compacted"), EngineHarness.compacting());
    List<Path> partitions = ForeignStore.partitions(store.directory);
    for (Path structure : new ArrayList<>(ForeignStore.structures(partitions.get(1)))) {
      exchange(structure, partitions.get(3).resolve(structure.getFileName()));
    }
  }

  private static void exchangePaths(Path one, Path other, Path between) throws IOException {
    Files.move(one, between);
    Files.move(other, one);
    Files.move(between, other);
  }

  private static boolean rename(ChronicleEngine engine, Namespace from, Namespace to) {
    return engine.rename(engine.find(from), from, to, false);
  }
}
