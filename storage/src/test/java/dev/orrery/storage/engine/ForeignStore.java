package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.upkeep.CheckpointFile;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * A store of two collections with two partitions each, all alike but for their documents, so that a
 * file of one could well be taken for that of another; and what must be in it.
 */
final class ForeignStore {
  static final Namespace FIRST = new Namespace("db", "first");
  static final Namespace SECOND = new Namespace("db", "second");
  static final String HALF = "20000000000000000000000000000000";
  private static final int DOCUMENTS = 120;
  private static final int PAGE_CHECKSUM_AT = 4092;
  private static final int OWNER_AT = 112;
  private static final int OWNER_BYTES = 24;

  final Path directory;
  final EngineOptions options;

  ForeignStore(Path directory, EngineOptions options) {
    this.directory = directory;
    this.options = options;
    try (var engine = open(directory)) {
      for (Namespace name : List.of(FIRST, SECOND)) {
        create(engine, name);
      }
      engine.checkpoint();
      engine.compact();
    }
  }

  ChronicleEngine open(Path copy) {
    return ChronicleEngine.open(copy, options, new NoHooks());
  }

  private static void create(ChronicleEngine engine, Namespace name) {
    CollectionStore store =
        engine.create(
            name,
            new CollectionInfo.Creation(
                new BsonDocument(), "p", List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
    engine.createIndexes(
        store,
        List.of(
            IndexSpec.of(BsonDocument.parse("{key: {v: 1}, name: 'v_1'}")),
            IndexSpec.of(BsonDocument.parse("{key: {u: 1}, name: 'u_1', unique: true}"))));
    for (int id : expected(name).keySet()) {
      insert(engine, store, document(name, id));
      insert(engine, store, document(name, id + DOCUMENTS)); // the same number in each
    }
    engine.split(store, 0, HALF);
    for (int id : expected(name).keySet()) {
      for (int round = 0; round < 4; round++) {
        replace(engine, store, document(name, id + DOCUMENTS));
      }
      delete(engine, store, document(name, id + DOCUMENTS));
    }
  }

  /** By id, all documents of a collection. */
  static Map<Integer, BsonDocument> expected(Namespace name) {
    var all = new TreeMap<Integer, BsonDocument>();
    for (int i = 0; i < DOCUMENTS; i++) {
      all.put(i, document(name, i));
    }
    return all;
  }

  /** The keys of one collection are not those of the other. */
  private static BsonDocument document(Namespace name, int id) {
    int unique = name.equals(FIRST) ? id : id + 5_000;
    return BsonDocument.parse(
        "{_id: %d, p: 'key%d', v: %d, u: %d, x: '%s'}"
            .formatted(id, unique % 37, unique % 10, unique, "x".repeat(400)));
  }

  private static void insert(ChronicleEngine engine, CollectionStore store, BsonDocument one) {
    assertThat(commit(engine, new WriteOperation.Insert(store, RawDocument.of(one))))
        .isEqualTo(WriteOutcome.Status.APPLIED);
  }

  private static void replace(ChronicleEngine engine, CollectionStore store, BsonDocument one) {
    var found = EngineHarness.find(store, one);
    assertThat(commit(engine, new WriteOperation.Replace(store, found, RawDocument.of(one))))
        .isEqualTo(WriteOutcome.Status.APPLIED);
  }

  private static void delete(ChronicleEngine engine, CollectionStore store, BsonDocument one) {
    var found = EngineHarness.find(store, one);
    assertThat(commit(engine, new WriteOperation.Delete(store, found)))
        .isEqualTo(WriteOutcome.Status.APPLIED);
  }

  private static WriteOutcome.Status commit(ChronicleEngine engine, WriteOperation operation) {
    return Lane.await(engine.commit(WriteBatch.of(operation), new WorkMeter()))
        .outcomes()
        .get(0)
        .status();
  }

  /** Every document is there and no other, found by every structure; no duplicate is accepted. */
  static void check(ChronicleEngine engine) {
    for (Namespace name : List.of(FIRST, SECOND)) {
      CollectionStore store = engine.find(name);
      assertThat(EngineHarness.contents(store)).isEqualTo(expected(name));
      for (int id = 0; id < DOCUMENTS; id += 7) {
        BsonDocument stored = document(name, id);
        assertThat(EngineHarness.find(store, stored)).isNotNull();
        BsonDocument twin = stored.clone().append("_id", new BsonInt32(1_000_000 + id));
        assertThat(commit(engine, new WriteOperation.Insert(store, RawDocument.of(twin))))
            .as("a second document with u of " + id)
            .isEqualTo(WriteOutcome.Status.DUPLICATE);
      }
      BsonDocument fresh = document(name, DOCUMENTS + 1); // a key that was free again
      insert(engine, store, fresh);
      delete(engine, store, fresh);
    }
    engine.verify();
  }

  /** The folders of all partitions. */
  static List<Path> partitions(Path store) {
    return list(store.resolve("partitions"));
  }

  /** The structures of a partition: files, and folders of maps. */
  static List<Path> structures(Path partition) {
    return list(partition);
  }

  private static List<Path> list(Path directory) {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted(Comparator.naturalOrder()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void copy(Path from, Path to) {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a store what versions left behind whose files did not say whose they are. */
  void makeOld(Path copy) throws IOException {
    for (Path partition : partitions(copy)) {
      for (Path structure : structures(partition)) {
        if (Files.isDirectory(structure)) {
          disownManifest(structure.resolve("MANIFEST"));
        } else {
          disownPages(structure);
        }
      }
    }
    var file = new CheckpointFile(copy.resolve("checkpoint"), false);
    CheckpointFile.Content content = file.read();
    content.stamps().values().forEach(stamps -> stamps.remove(PartitionFiles.OWNED));
    file.write(content.withStore(0));
  }

  static void disownPages(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, OWNER_AT, OWNER_AT + OWNER_BYTES, (byte) 0);
    var crc = new CRC32C();
    crc.update(bytes, 0, PAGE_CHECKSUM_AT);
    crc.update(new byte[Integer.BYTES]); // the number of the page
    ByteBuffer.wrap(bytes).putInt(PAGE_CHECKSUM_AT, (int) crc.getValue());
    Files.write(file, bytes);
  }

  static void disownManifest(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    byte[] shorter = Arrays.copyOf(bytes, bytes.length - OWNER_BYTES);
    int crcAt = shorter.length - Integer.BYTES;
    var crc = new CRC32C();
    crc.update(shorter, 0, crcAt);
    ByteBuffer.wrap(shorter).putInt(crcAt, (int) crc.getValue());
    Files.write(file, shorter);
  }

  static List<Path> allStructures(Path store) {
    var all = new ArrayList<Path>();
    partitions(store).forEach(partition -> all.addAll(structures(partition)));
    return all;
  }
}
