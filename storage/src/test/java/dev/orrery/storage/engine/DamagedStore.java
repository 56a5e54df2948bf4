package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.recovery.StoreSalvage;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * A store with some history, to be copied and damaged, and what is known of it without looking at
 * its structures: every document, and where in the log the last record about each key lies.
 */
final class DamagedStore {
  static final Namespace PARTS = new Namespace("db", "parts");
  static final Namespace PLAIN = new Namespace("db", "plain");
  private static final Namespace DROPPED = new Namespace("db", "dropped");
  private static final int DOCUMENTS = 400;

  /** The bytes of a record in a segment. */
  record Span(String segment, int from, int to) {
    boolean isHit(String file, int hitFrom, int hitTo) {
      return segment.equals(file) && hitFrom < to && hitTo > from;
    }
  }

  final Path directory;
  final EngineOptions options;
  final Map<Namespace, Map<Integer, BsonDocument>> model = new HashMap<>();

  /** By namespace and id, deleted ones too. */
  final Map<Namespace, Map<Integer, Span>> lastRecords = new HashMap<>();

  private final Random random;
  private int copies;

  DamagedStore(Path directory, EngineOptions options, long seed) {
    this.directory = directory;
    this.options = options;
    this.random = new Random(seed);
    model.put(PARTS, new TreeMap<>());
    model.put(PLAIN, new TreeMap<>());
    try (var engine = ChronicleEngine.open(directory, options, new NoHooks())) {
      fill(engine);
    }
    findRecords();
  }

  private void fill(ChronicleEngine engine) {
    create(engine, DROPPED, null);
    CollectionStore parts = create(engine, PARTS, "k.n");
    CollectionStore plain = create(engine, PLAIN, null);
    engine.createIndexes(
        parts, List.of(IndexSpec.of(BsonDocument.parse("{key: {v: 1}, name: 'v_1'}"))));
    insert(engine, engine.find(DROPPED), 1);
    engine.drop(engine.find(DROPPED));
    for (int i = 0; i < DOCUMENTS; ) {
      int size = 1 + random.nextInt(12);
      var batch = new ArrayList<WriteOperation>();
      for (int j = 0; j < size; j++, i++) {
        batch.add(insertion(i % 3 == 0 ? plain : parts, i));
      }
      commit(engine, batch);
    }
    engine.split(parts, 0, "20000000000000000000000000000000");
    change(engine, 150);
    engine.checkpoint();
    engine.putSetting("kind", BsonDocument.parse("{_id: 'setting'}"));
    change(engine, 100);
  }

  private static CollectionStore create(ChronicleEngine engine, Namespace name, String key) {
    return engine.create(
        name,
        new CollectionInfo.Creation(
            new BsonDocument(), key, List.of(IndexSpec.idIndex()), 1, new BsonDocument()));
  }

  private void insert(ChronicleEngine engine, CollectionStore store, int id) {
    commit(engine, List.of(new WriteOperation.Insert(store, RawDocument.of(document(id)))));
  }

  private WriteOperation insertion(CollectionStore store, int id) {
    BsonDocument document = document(id);
    model.get(store.info().namespace()).put(id, document);
    return new WriteOperation.Insert(store, RawDocument.of(document));
  }

  private BsonDocument document(int id) {
    return new BsonDocument("_id", new BsonInt32(id))
        .append("k", new BsonDocument("n", new BsonInt32(id % 17)))
        .append("v", new BsonInt32(random.nextInt()))
        .append("x", new BsonString("x".repeat(random.nextInt(600))));
  }

  private static void commit(ChronicleEngine engine, List<WriteOperation> operations) {
    var batch = new WriteBatch(operations, WriteBatch.OnFailure.STOP);
    var result = Lane.await(engine.commit(batch, new WorkMeter()));
    assertThat(result.outcomes()).allMatch(outcome -> outcome.isApplied());
  }

  private void change(ChronicleEngine engine, int times) {
    for (int i = 0; i < times; i++) {
      Namespace name = random.nextBoolean() ? PARTS : PLAIN;
      var store = engine.find(name);
      Map<Integer, BsonDocument> documents = model.get(name);
      var ids = new ArrayList<>(documents.keySet());
      int id = ids.get(random.nextInt(ids.size()));
      RawValue key =
          name == PARTS ? RawValue.of(documents.get(id).getDocument("k").get("n")) : null;
      byte[] primaryKey = store.primaryKey(key, RawValue.of(new BsonInt32(id)));
      var before = Lane.await(store.partitionOf(key).find(primaryKey, new WorkMeter()));
      if (random.nextInt(3) == 0) {
        commit(engine, List.of(new WriteOperation.Delete(store, before)));
        documents.remove(id);
      } else {
        BsonDocument after = document(id);
        documents.put(id, after);
        var replace = new WriteOperation.Replace(store, before, RawDocument.of(after));
        commit(engine, List.of(replace));
      }
    }
  }

  /** Reads a copy of the log with the production's reader, before there is any damage. */
  private void findRecords() {
    Path copy = copy();
    model.keySet().forEach(name -> lastRecords.put(name, new TreeMap<>()));
    try (var log = Log.open(copy.resolve("log"), LogOptions.defaults().withFsync(false))) {
      LogCursor cursor = log.from(1);
      for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
        for (int i = 0; i < group.size(); i++) {
          if (group.kind(i) != DataRecord.CATALOG) {
            note(group, i);
          }
        }
      }
    }
  }

  private void note(LogGroup group, int index) {
    int collection = DataRecord.of(group.meta(index), 0).collection();
    if (collection == 1) {
      return; // dropped
    }
    BsonDocument payload = RawDocument.wrap(group.payload(index)).toBsonDocument();
    long position = group.position(index);
    int from = (int) position;
    int to = from + 24 + group.metaLength(index) + group.payloadLength(index);
    var span = new Span("%016x.log".formatted(position >>> 32), from, to);
    lastRecords.get(collection == 2 ? PARTS : PLAIN).put(payload.getInt32("_id").getValue(), span);
  }

  /** A copy of the sound store. */
  Path copy() {
    Path copy = directory.resolveSibling("copy-" + ++copies);
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.toList()) {
        Files.copy(path, copy.resolve(directory.relativize(path).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return copy;
  }

  List<Path> segments(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store.resolve("log"))) {
      return files.filter(path -> path.toString().endsWith(".log")).sorted().toList();
    }
  }

  /** What a salvage gave: documents by namespace (or collection number) and id. */
  static final class Taken implements StoreSalvage.Output {
    final Map<String, Map<Integer, BsonDocument>> documents = new TreeMap<>();
    final Map<String, CollectionInfo> infos = new TreeMap<>();
    int doubles;
    StoreSalvage.Report report;
    private Map<Integer, BsonDocument> current;

    @Override
    public void begin(CollectionInfo info) {
      current = documents.computeIfAbsent(info.namespace().toString(), name -> new TreeMap<>());
      infos.put(info.namespace().toString(), info);
    }

    @Override
    public void begin(int collection) {
      current = documents.computeIfAbsent("" + collection, name -> new TreeMap<>());
    }

    @Override
    public void write(byte[] document) {
      BsonDocument decoded = RawDocument.wrap(document).toBsonDocument();
      if (current.putIfAbsent(decoded.getInt32("_id").getValue(), decoded) != null) {
        doubles++;
      }
    }

    @Override
    public void end() {
      current = null;
    }
  }

  static Taken salvage(Path store) throws IOException {
    var taken = new Taken();
    Path scratch = store.resolveSibling(store.getFileName() + "-scratch");
    taken.report = new StoreSalvage(store, scratch, new NoHooks()).run(taken);
    assertThat(scratch).doesNotExist();
    return taken;
  }
}
