package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.structure.PartitionOpener;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.bson.BsonDocument;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage of every kind: the store then serves what was written, or refuses with the file, the
 * offset and what to do; and a salvage gives every document that was not hit itself.
 */
final class SalvageTest {
  private static final int FLIPS = Integer.getInteger("damage.flips", 60);

  @TempDir static Path root;
  private static DamagedStore store;

  @BeforeAll
  static void fill() {
    store = new DamagedStore(root.resolve("store"), EngineHarness.quiet(), 7);
    assertThat(store.model.get(DamagedStore.PARTS)).hasSizeGreaterThan(100);
  }

  /** Bytes of a segment that are no longer what was written. */
  private record Hit(String segment, int from, int to) {}

  /** Everything that was not hit is there as it was, and nothing else is. */
  private static void requireAllButHit(DamagedStore.Taken taken, Hit hit) {
    for (Namespace name : store.model.keySet()) {
      Map<Integer, BsonDocument> found = taken.documents.getOrDefault(name.toString(), Map.of());
      Map<Integer, BsonDocument> expected = store.model.get(name);
      store
          .lastRecords
          .get(name)
          .forEach(
              (id, span) -> {
                if (hit == null || !span.isHit(hit.segment, hit.from, hit.to)) {
                  assertThat(found.get(id)).as(name + " " + id).isEqualTo(expected.get(id));
                }
              });
    }
    assertThat(taken.doubles).isZero();
  }

  private static void flip(Path file, int offset, int bit) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[offset] ^= (byte) (1 << bit);
    Files.write(file, bytes);
  }

  private static Map<Namespace, Map<Integer, BsonDocument>> contents(ChronicleEngine engine) {
    var all = new TreeMap<Namespace, Map<Integer, BsonDocument>>();
    for (Namespace name : store.model.keySet()) {
      var documents = new TreeMap<Integer, BsonDocument>();
      for (PartitionStore partition : engine.find(name).partitions()) {
        var meter = new WorkMeter();
        var cursor = partition.scan(false);
        for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
          var document = one.document().toBsonDocument();
          documents.put(document.getInt32("_id").getValue(), document);
        }
      }
      all.put(name, documents);
    }
    return all;
  }

  /** The store is right, or says which file is not, and where. */
  private static void requireRightOrRefused(Path damaged, Path file) {
    try (var engine = ChronicleEngine.open(damaged, store.options, new NoHooks())) {
      assertThat(contents(engine)).isEqualTo(new TreeMap<>(store.model));
    } catch (StorageException e) {
      assertThat(e.reason()).isEqualTo(StorageException.Reason.CORRUPT);
      assertThat(e.getMessage()).contains(file.toString(), "at offset", "orrery salvage", "backup");
    }
  }

  private static Map<String, String> fingerprint(Path directory) throws IOException {
    var prints = new TreeMap<String, String>();
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.toList()) {
        String content =
            Files.isRegularFile(path) ? Arrays.hashCode(Files.readAllBytes(path)) + "" : "";
        prints.put(path.toString(), Files.getLastModifiedTime(path) + " " + content);
      }
    }
    return prints;
  }

  @Test
  void aSoundStoreIsCopiedWholeAndLeftAsItIs() throws IOException {
    Path copy = store.copy();
    Map<String, String> before = fingerprint(copy);
    DamagedStore.Taken taken = DamagedStore.salvage(copy);
    requireAllButHit(taken, null);
    assertThat(taken.report.isComplete()).isTrue();
    assertThat(taken.report.notes()).singleElement().asString().contains("kind setting");
    assertThat(taken.infos.get("db.parts").partitionKey()).isEqualTo("k.n");
    assertThat(taken.infos.get("db.parts").readyIndexes()).hasSize(2);
    assertThat(taken.documents).containsOnlyKeys("db.parts", "db.plain");
    assertThat(fingerprint(copy)).isEqualTo(before);
  }

  @Test
  void afterAnyFlippedBitOfTheLogAllIsRightOrRefusedAndTheRestIsSaved() throws IOException {
    var random = new Random(42);
    List<Path> originals = store.segments(store.directory);
    for (int i = 0; i < FLIPS; i++) {
      Path original = originals.get(random.nextInt(originals.size()));
      // Headers and the first groups get their share.
      int size = (int) Files.size(original);
      int offset = i % 4 == 0 ? random.nextInt(Math.min(size, 200)) : random.nextInt(size);
      Path damaged = store.copy();
      Path file = damaged.resolve("log").resolve(original.getFileName());
      flip(file, offset, random.nextInt(8));
      Map<String, String> before = fingerprint(damaged);
      var hit = new Hit(file.getFileName().toString(), offset, offset + 1);
      requireAllButHit(DamagedStore.salvage(damaged), hit);
      assertThat(fingerprint(damaged)).isEqualTo(before);
      requireRightOrRefused(damaged, file);
      PartitionOpener.deleteDirectory(damaged);
    }
  }

  @Test
  void aFlippedBitInAnyPlaceOfAGroupCostsAtMostTheRecordThatHasIt() throws IOException {
    Path original = store.segments(store.directory).get(1);
    byte[] bytes = Files.readAllBytes(original);
    int groupBytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(64 + 4);
    for (int offset = 0; offset < 64 + Math.min(groupBytes, 150); offset++) {
      Path damaged = store.copy();
      Path file = damaged.resolve("log").resolve(original.getFileName());
      flip(file, offset, offset % 8);
      var hit = new Hit(file.getFileName().toString(), offset, offset + 1);
      requireAllButHit(DamagedStore.salvage(damaged), hit);
      PartitionOpener.deleteDirectory(damaged);
    }
  }

  @Test
  void zerosOverSomePagesCostWhatLayThere() throws IOException {
    for (Path original : store.segments(store.directory)) {
      int size = (int) Files.size(original);
      for (int from : List.of(0, 4096, size / 2, Math.max(0, size - 5000))) {
        Path damaged = store.copy();
        Path file = damaged.resolve("log").resolve(original.getFileName());
        byte[] bytes = Files.readAllBytes(file);
        int to = Math.min(bytes.length, from + 4096);
        Arrays.fill(bytes, Math.min(from, to), to, (byte) 0);
        Files.write(file, bytes);
        DamagedStore.Taken taken = DamagedStore.salvage(damaged);
        requireAllButHit(taken, new Hit(file.getFileName().toString(), from, to));
        requireRightOrRefused(damaged, file);
      }
    }
  }

  @Test
  void aSegmentThatIsCutShortCostsWhatLayBehindTheCut() throws IOException {
    List<Path> originals = store.segments(store.directory);
    for (Path original : originals) {
      int size = (int) Files.size(original);
      int to = size / 2;
      Path damaged = store.copy();
      Path file = damaged.resolve("log").resolve(original.getFileName());
      Files.write(file, Arrays.copyOf(Files.readAllBytes(file), to));
      DamagedStore.Taken taken = DamagedStore.salvage(damaged);
      requireAllButHit(taken, new Hit(file.getFileName().toString(), to, size));
      assertThat(taken.report.isComplete()).isFalse();
      requireRightOrRefused(damaged, file);
    }
  }

  @Test
  void aMissingSegmentCostsWhatWasInIt() throws IOException {
    for (Path original : store.segments(store.directory)) {
      Path damaged = store.copy();
      Path file = damaged.resolve("log").resolve(original.getFileName());
      Files.delete(file);
      DamagedStore.Taken taken = DamagedStore.salvage(damaged);
      requireAllButHit(taken, new Hit(file.getFileName().toString(), 0, Integer.MAX_VALUE));
      assertThat(taken.report.losses())
          .anyMatch(loss -> loss.contains(file.toString()) && loss.contains("missing"));
      assertThat(taken.report.collections()).anyMatch(one -> one.lost() > 0 || one.older() > 0);
      requireRightOrRefused(damaged, file);
    }
  }

  @Test
  void theManifestIsNotNeeded() throws IOException {
    Path manifest = Path.of("log", "manifest");
    for (int kind = 0; kind < 3; kind++) {
      Path damaged = store.copy();
      Path file = damaged.resolve(manifest);
      if (kind == 0) {
        Files.delete(file);
      } else {
        flip(file, kind == 1 ? 3 : 17, 1);
      }
      requireAllButHit(DamagedStore.salvage(damaged), null);
      requireRightOrRefused(damaged, file);
    }
  }

  @Test
  void withoutTheCheckpointTheLogTellsOfCollections() throws IOException {
    for (boolean isMissing : new boolean[] {true, false}) {
      Path damaged = store.copy();
      Path file = damaged.resolve("checkpoint");
      if (isMissing) {
        Files.delete(file);
      } else {
        flip(file, 50, 2);
      }
      DamagedStore.Taken taken = DamagedStore.salvage(damaged);
      requireAllButHit(taken, null);
      assertThat(taken.report.losses().isEmpty()).isEqualTo(isMissing);
    }
  }

  @Test
  void documentsOfUnknownCollectionsAreKeptUnderTheirNumber() throws IOException {
    Path damaged = store.copy();
    Files.delete(damaged.resolve("checkpoint"));
    Path first = store.segments(damaged).get(0);
    byte[] bytes = Files.readAllBytes(first);
    for (String word : List.of("putCollection", "dropCollection")) {
      byte[] name = word.getBytes(java.nio.charset.StandardCharsets.UTF_8);
      for (Path segment : store.segments(damaged)) {
        destroy(segment, name);
      }
    }
    assertThat(Files.readAllBytes(first)).isNotEqualTo(bytes);
    DamagedStore.Taken taken = DamagedStore.salvage(damaged);
    assertThat(taken.documents).containsOnlyKeys("1", "2", "3");
    assertThat(taken.documents.get("2")).isEqualTo(store.model.get(DamagedStore.PARTS));
    assertThat(taken.documents.get("3")).isEqualTo(store.model.get(DamagedStore.PLAIN));
    assertThat(taken.report.isComplete()).isFalse();
  }

  private static void destroy(Path file, byte[] word) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    for (int at = 0; at < bytes.length - word.length; at++) {
      if (Arrays.equals(bytes, at, at + word.length, word, 0, word.length)) {
        bytes[at] ^= 1;
      }
    }
    Files.write(file, bytes);
  }

  @Test
  void severalDamagesAtOnceCostWhatLayThere() throws IOException {
    var random = new Random(3);
    int missed = 0;
    for (int round = 0; round < 10; round++) {
      Path damaged = store.copy();
      var hits = new ArrayList<Hit>();
      for (Path segment : store.segments(damaged)) {
        byte[] bytes = Files.readAllBytes(segment);
        for (int i = 0; i < 6; i++) {
          int from = i == 0 ? random.nextInt(64) : random.nextInt(bytes.length);
          int to = Math.min(bytes.length, from + 1 + random.nextInt(100));
          for (int at = from; at < to; at++) {
            bytes[at] ^= (byte) (1 + random.nextInt(255));
          }
          hits.add(new Hit(segment.getFileName().toString(), from, to));
        }
        Files.write(segment, bytes);
      }
      DamagedStore.Taken taken = DamagedStore.salvage(damaged);
      for (Namespace name : store.model.keySet()) {
        Map<Integer, BsonDocument> found = taken.documents.get(name.toString());
        for (var entry : store.model.get(name).entrySet()) {
          DamagedStore.Span span = store.lastRecords.get(name).get(entry.getKey());
          boolean isHit = hits.stream().anyMatch(hit -> span.isHit(hit.segment, hit.from, hit.to));
          if (!isHit) {
            assertThat(found.get(entry.getKey())).isEqualTo(entry.getValue());
          } else if (!entry.getValue().equals(found.get(entry.getKey()))) {
            missed++;
          }
        }
      }
      PartitionOpener.deleteDirectory(damaged);
    }
    assertThat(missed).isPositive(); // else this test shows little
  }

  @Test
  void damagedSlotsAndSwappedSegmentsAreGotAround() throws IOException {
    Path damaged = store.copy();
    try (Stream<Path> partitions = Files.list(damaged.resolve("partitions"))) {
      for (Path partition : partitions.toList()) {
        flip(partition.resolve("slots"), 100, 3);
      }
    }
    DamagedStore.Taken taken = DamagedStore.salvage(damaged);
    requireAllButHit(taken, null);
    assertThat(taken.report.losses())
        .hasSizeGreaterThan(1)
        .allMatch(loss -> loss.contains("slots"));

    Path swapped = store.copy();
    Path one = store.segments(swapped).get(0);
    Path other = store.segments(swapped).get(1);
    Path aside = swapped.resolve("aside");
    Files.move(one, aside);
    Files.move(other, one);
    Files.move(aside, other);
    DamagedStore.Taken both = DamagedStore.salvage(swapped);
    requireAllButHit(both, null);
    assertThat(both.report.losses()).hasSize(2).allMatch(loss -> loss.contains("this is segment"));
    assertThat(both.report.collections()).allMatch(each -> each.lost() + each.older() == 0);
    assertThatThrownBy(() -> ChronicleEngine.open(swapped, store.options, new NoHooks()))
        .hasMessageContaining(one + " at offset 16: this is segment 2")
        .hasMessageContaining("orrery salvage");
  }

  @Test
  void slotsOfOthersAndWhatIsNoFileAreGotAround() throws IOException {
    Path damaged = store.copy();
    Path first = damaged.resolve("partitions/2-1/slots");
    Path second = damaged.resolve("partitions/2-2/slots");
    Path third = damaged.resolve("partitions/3-0/slots");
    Path aside = damaged.resolve("aside");
    Files.move(first, aside);
    Files.move(second, first);
    Files.move(aside, second);
    Files.delete(third);
    Files.createDirectory(third);
    DamagedStore.Taken taken = DamagedStore.salvage(damaged);
    requireAllButHit(taken, null);
    assertThat(taken.report.losses())
        .hasSize(3)
        .anyMatch(loss -> loss.contains("slots of partition 2 of collection 2"))
        .anyMatch(loss -> loss.contains(third + ": it cannot be read"));

    Path segment = store.segments(damaged).get(1);
    Files.delete(segment);
    Files.createDirectory(segment);
    assertThat(DamagedStore.salvage(damaged).report.losses())
        .anyMatch(loss -> loss.contains(segment + " at offset 0: it is a directory"));
    assertThatThrownBy(() -> ChronicleEngine.open(damaged, store.options, new NoHooks()))
        .hasMessageContaining(segment + " at offset 0")
        .hasMessageContaining("orrery salvage");
  }

  @Test
  void aNewerFormatIsRefusedByItsVersion() throws IOException {
    Path damaged = store.copy();
    Path segment = store.segments(damaged).get(1);
    byte[] bytes = Files.readAllBytes(segment);
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(8, 99);
    var crc = new CRC32C();
    crc.update(bytes, 0, 60);
    header.putInt(60, (int) crc.getValue());
    Files.write(segment, bytes);
    assertThatThrownBy(() -> ChronicleEngine.open(damaged, store.options, new NoHooks()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(segment + " at offset 8: format version 99")
        .hasMessageContaining("newer version of Orrery");
    assertThatThrownBy(() -> DamagedStore.salvage(damaged))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("newer version of Orrery");
  }

  /** Deletions that compaction removed from the log are known to the slots. */
  @Test
  void whatWasDeletedBeforeACompactionDoesNotComeBack() throws IOException {
    Path directory = root.resolve("compacted");
    try (var harness = new EngineHarness(directory, EngineHarness.compacting(), new NoHooks())) {
      harness.create(null);
      for (int i = 0; i < 300; i++) {
        harness.insert(EngineHarness.document(i, 500));
      }
      for (int i = 0; i < 300; i += 10) {
        harness.delete(i);
      }
      for (int round = 0; round < 20; round++) {
        for (int i = 1; i < 30; i += 10) {
          harness.replace(i, EngineHarness.document(i, 3_000));
        }
      }
      assertThat(harness.engine.compact()).isPositive();
      Map<Integer, BsonDocument> expected = harness.contents();
      harness.engine.close();
      assertThat(DamagedStore.salvage(directory).documents.get("db.things")).isEqualTo(expected);
      var files = new ArrayList<>(store.segments(directory));
      flip(files.get(files.size() - 1), 20, 1);
      assertThat(DamagedStore.salvage(directory).documents.get("db.things")).isEqualTo(expected);
      harness.engine =
          ChronicleEngine.open(root.resolve("other"), EngineHarness.quiet(), new NoHooks());
    }
  }
}
