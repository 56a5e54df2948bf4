package dev.orrery.storage.postgres;

import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.postgres.CollectionState.Index;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * All collections as this server knows them. Whoever uses what it knows names the epoch, and is
 * told by the database when it is not the newest: then it is read again.
 */
final class PostgresCatalog {
  private static final String LOAD =
      "SELECT p.epoch, c.id, c.epoch, CASE WHEN c.epoch > ? THEN c.info END,"
          + " CASE WHEN c.epoch > ? THEN c.building END"
          + " FROM partition p LEFT JOIN collection c ON true WHERE p.part = 0";

  /**
   * The collections at one moment.
   *
   * @param version the epoch of the newest change
   */
  record Snapshot(long version, Map<Integer, CollectionState> states) {}

  private record Loaded(long version, int id, long epoch, byte[] info, byte[] building) {}

  private final StorageHooks hooks;
  private final Map<Integer, PostgresCollection> collections = new HashMap<>();
  private volatile Map<String, PostgresCollection> byName = Map.of();
  private volatile Snapshot newest = new Snapshot(0, Map.of());

  PostgresCatalog(StorageHooks hooks) {
    this.hooks = hooks;
  }

  Snapshot newest() {
    return newest;
  }

  @Nullable PostgresCollection find(Namespace namespace) {
    return byName.get(namespace.toString());
  }

  List<PostgresCollection> collections() {
    return List.copyOf(byName.values());
  }

  /** The collection of that number, if it was ever known. */
  synchronized @Nullable PostgresCollection find(int id) {
    return collections.get(id);
  }

  /** Takes up what has changed since. */
  void refresh(DatabaseSession session, PostgresEngine engine) {
    Snapshot known = newest;
    Snapshot loaded = load(session, known);
    if (loaded != known) {
      publish(loaded, engine);
    }
  }

  private synchronized void publish(Snapshot loaded, PostgresEngine engine) {
    if (loaded.version <= newest.version) {
      return;
    }
    collections.keySet().retainAll(loaded.states.keySet());
    var names = new TreeMap<String, PostgresCollection>();
    loaded.states.forEach(
        (id, state) -> {
          PostgresCollection collection =
              collections.computeIfAbsent(
                  id, absent -> new PostgresCollection(engine, state, keys(state.info())));
          collection.isNow(state);
          names.put(state.info().namespace().toString(), collection);
        });
    newest = loaded;
    byName = names;
  }

  /** What the transaction of that session sees; the same if it is what is known. */
  Snapshot load(DatabaseSession session, Snapshot known) {
    List<Loaded> rows =
        session.query(
            LOAD,
            row ->
                new Loaded(
                    row.getLong(1),
                    row.getInt(2),
                    row.getLong(3),
                    row.getBytes(4),
                    row.getBytes(5)),
            known.version,
            known.version);
    long version = rows.get(0).version;
    if (version == known.version) {
      return known;
    }
    if (version < known.version && known.version > 0) { // a point that is older than what we know
      return load(session, new Snapshot(0, Map.of()));
    }
    var states = new HashMap<Integer, CollectionState>();
    for (Loaded row : rows) {
      if (row.id != 0) {
        CollectionState before = known.states.get(row.id);
        states.put(row.id, row.info == null ? before : state(row, before));
      }
    }
    return new Snapshot(version, Map.copyOf(states));
  }

  private CollectionState state(Loaded row, @Nullable CollectionState before) {
    CollectionInfo info = info(row.info);
    return state(info, entries(row.building), row.epoch, before);
  }

  CollectionState state(
      CollectionInfo info,
      List<IndexEntry> building,
      long epoch,
      @Nullable CollectionState before) {
    var indexes = new ArrayList<Index>();
    for (IndexEntry entry : info.keptIndexes()) {
      indexes.add(new Index(entry, keys(entry, before), true));
    }
    for (IndexEntry entry : building) {
      indexes.add(new Index(entry, keys(entry, before), false));
    }
    return new CollectionState(info, indexes, epoch);
  }

  private IndexKeys keys(IndexEntry entry, @Nullable CollectionState before) {
    Index known = before == null ? null : before.index(entry.id());
    return known != null && known.spec().hasKeysOf(entry.spec())
        ? known.keys()
        : keys(entry.spec());
  }

  IndexKeys keys(IndexSpec spec) {
    StringOrder strings =
        spec.collation() == null ? StringOrder.UTF8 : hooks.collation(spec.collation());
    return IndexKeys.of(
        spec,
        strings,
        spec.partialFilter() == null ? document -> true : hooks.filter(spec.partialFilter()),
        hooks::specialKeys);
  }

  private PrimaryKeys keys(CollectionInfo info) {
    BsonValue collation = info.options().get("collation");
    StringOrder strings =
        collation == null || !collation.isDocument()
            ? StringOrder.UTF8
            : hooks.collation(collation.asDocument());
    return new PrimaryKeys(info.partitionKey(), strings);
  }

  static CollectionInfo info(byte[] bytes) {
    return CollectionInfo.fromBson(RawDocument.wrap(bytes).toBsonDocument());
  }

  static byte[] bytes(BsonDocument document) {
    return RawDocument.of(document).toByteArray();
  }

  /** Indexes that are being built, as they are stored. */
  static byte[] bytes(List<IndexEntry> entries) {
    var list = new BsonArray();
    for (IndexEntry entry : entries) {
      list.add(
          new BsonDocument("id", new BsonInt32(entry.id()))
              .append("ready", BsonBoolean.FALSE)
              .append("spec", entry.spec().document()));
    }
    return bytes(new BsonDocument("indexes", list));
  }

  private static List<IndexEntry> entries(byte[] bytes) {
    var entries = new ArrayList<IndexEntry>();
    for (BsonValue value : RawDocument.wrap(bytes).toBsonDocument().getArray("indexes")) {
      BsonDocument entry = value.asDocument();
      entries.add(
          new IndexEntry(
              entry.getInt32("id").getValue(), IndexSpec.of(entry.getDocument("spec")), false));
    }
    return entries;
  }
}
