package dev.orrery.storage.postgres;

import dev.orrery.storage.UniqueViolationException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.postgres.CollectionState.Index;
import dev.orrery.storage.postgres.PartReads.Found;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/*
 * Three steps, each with an epoch of its own, so that no server ever writes by an older description:
 * writers keep the index and nobody reads it; entries of the documents that were there before are
 * added by pages, each under the lock of its partition; the index is ready.
 */

/** Builds indexes over the documents that are there, while reads and writes go on. */
final class PostgresIndexBuild {
  private static final String LOCK =
      "SELECT 1 FROM partition WHERE part = ? AND state = 0 FOR UPDATE";
  private static final String PAGE =
      "SELECT rid, ver, body FROM doc WHERE part = ? AND rid > ? ORDER BY rid LIMIT ?";
  private static final String TAKEN =
      "SELECT n FROM unnest(?, ?, ?) WITH ORDINALITY AS k(idx, key, rid, n) JOIN uniq u"
          + " ON u.part = ? AND u.idx = k.idx AND u.key = k.key WHERE u.rid <> k.rid LIMIT 1";
  private static final String ADD_UNIQUE =
      "INSERT INTO uniq (part, idx, key, rid) SELECT ?, k.idx, k.key, k.rid"
          + " FROM unnest(?, ?, ?) AS k(idx, key, rid) ON CONFLICT DO NOTHING";
  private static final String ADD =
      "INSERT INTO ent (part, idx, key, rid, hash, tail) SELECT ?, k.idx, k.key, k.rid, CASE WHEN"
          + " k.tail = ''::bytea THEN k.tail ELSE sha256(k.tail) END, k.tail"
          + " FROM unnest(?, ?, ?, ?) AS k(idx, key, tail, rid) ON CONFLICT DO NOTHING";
  private static final String SEEN =
      "INSERT INTO idxstat AS s (part, idx, multikey, numbers) VALUES (?, ?, ?, ?)"
          + " ON CONFLICT (part, idx) DO UPDATE SET multikey = s.multikey | excluded.multikey,"
          + " numbers = s.numbers | excluded.numbers";
  private static final int PAGE_ROWS = 64;

  private final PostgresEngine engine;
  private final PostgresCollection collection;
  private final Runnable pause;

  PostgresIndexBuild(PostgresEngine engine, PostgresCollection collection, Runnable pause) {
    this.engine = engine;
    this.collection = collection;
    this.pause = pause;
  }

  void create(Function<CollectionInfo, List<IndexSpec>> missing) {
    StructureChanges.require(collection);
    List<Integer> ids = begin(missing);
    if (ids.isEmpty()) {
      return;
    }
    try {
      fill(ids);
    } catch (RuntimeException | Error e) {
      giveUp(ids);
      throw e;
    }
    ready(ids, null);
  }

  void replace(IndexSpec changed) {
    List<Integer> ids =
        begin(
            info -> {
              if (info.index(changed.name()) == null) {
                throw PostgresPartition.dropped(changed);
              }
              return List.of(changed);
            });
    try {
      fill(ids);
    } catch (RuntimeException | Error e) {
      giveUp(ids);
      throw e;
    }
    ready(ids, changed.name());
  }

  private List<Integer> begin(Function<CollectionInfo, List<IndexSpec>> missing) {
    return engine
        .structures()
        .change(
            change -> {
              CollectionState state = StructureChanges.require(collection);
              var building = new ArrayList<>(StructureChanges.building(state));
              var ids = new ArrayList<Integer>();
              int next = state.info().nextIndexId();
              for (IndexSpec spec : missing.apply(state.info())) {
                building.add(new IndexEntry(next, spec, false));
                ids.add(next++);
              }
              if (!ids.isEmpty()) {
                change.describe(state.info(), state.info().withNextIndexId(next), building);
              }
              return ids;
            });
  }

  private void giveUp(List<Integer> ids) {
    engine
        .structures()
        .change(
            change -> {
              CollectionState state = collection.state();
              if (state != null) {
                remove(change, state, ids);
              }
              return null;
            });
  }

  /** Indexes that are not ready go without a trace. */
  static void remove(StructureChange change, CollectionState state, List<Integer> ids) {
    var building = new ArrayList<>(StructureChanges.building(state));
    building.removeIf(entry -> ids.contains(entry.id()));
    change.describe(state.info(), state.info(), building);
    ids.forEach(id -> change.forget(state.info(), id));
  }

  private void ready(List<Integer> ids, @Nullable String instead) {
    engine
        .structures()
        .change(
            change -> {
              CollectionState state = StructureChanges.require(collection);
              var building = new ArrayList<>(StructureChanges.building(state));
              var entries = new ArrayList<>(state.info().indexes());
              for (int id : ids) {
                Index index = state.index(id);
                building.remove(index.entry());
                var entry = new IndexEntry(id, index.spec(), true);
                IndexEntry old = instead == null ? null : state.info().index(instead);
                if (old == null) {
                  entries.add(entry);
                } else {
                  entries.set(entries.indexOf(old), entry);
                  change.forget(state.info(), old.id());
                }
              }
              change.describe(state.info(), state.info().withIndexes(entries), building);
              return null;
            });
  }

  private void fill(List<Integer> ids) {
    CollectionState state = StructureChanges.require(collection);
    List<Index> indexes = ids.stream().map(state::index).toList();
    for (PartitionMap.Entry entry : state.info().partitions().entries()) {
      long part = state.part(entry.id());
      for (Long place = Long.MIN_VALUE; place != null; ) {
        pause.run();
        long from = place;
        place = engine.connections().with(session -> page(session, part, from, indexes));
      }
    }
  }

  /** Adds the entries of some documents; where to go on, null at the end. */
  private @Nullable Long page(DatabaseSession session, long part, long from, List<Index> indexes) {
    session.begin();
    if (session.first(LOCK, row -> 1, part) == null) {
      throw collection.dropped();
    }
    List<Found> page =
        session.query(
            PAGE,
            row -> new Found(row.getLong(1), row.getLong(2), row.getBytes(3)),
            part,
            from,
            PAGE_ROWS);
    for (Index index : indexes) {
      new Page(session, part, index).add(page);
    }
    session.commit();
    return page.size() < PAGE_ROWS ? null : page.get(page.size() - 1).record();
  }

  /** Some documents of one partition and their keys in one index. */
  private final class Page {
    private final DatabaseSession session;
    private final long part;
    private final Index index;
    private final Columns entries = new Columns("ibbl");
    private final Columns unique = new Columns("ibl");
    private final List<byte[]> uniqueKeys = new ArrayList<>();
    private final List<RawDocument> uniqueOwners = new ArrayList<>();
    private final HashMap<ByteBuffer, Long> inPage = new HashMap<>();
    private Seen seen = Seen.NOTHING;

    Page(DatabaseSession session, long part, Index index) {
      this.session = session;
      this.part = part;
      this.index = index;
    }

    void add(List<Found> page) {
      for (Found found : page) {
        RawDocument document = RawDocument.wrap(found.body());
        IndexKeySet keys = index.keys().extract(document);
        seen = seen.with(Seen.of(keys));
        for (byte[] key : keys.keys()) {
          LongKey of = LongKey.of(key);
          entries.add(index.id(), of.head(), of.tail(), found.record());
          if (index.isUnique()) {
            addUnique(document, key, found.record());
          }
        }
      }
      send();
    }

    private void addUnique(RawDocument document, byte[] key, long record) {
      byte[] bytes = PrimaryKeys.uniqueKey(collection.keys.of(document).logicalKey(), key);
      Long other = inPage.putIfAbsent(ByteBuffer.wrap(bytes), record);
      if (other != null && other != record) {
        throw new UniqueViolationException(index.spec(), key, document);
      }
      unique.add(index.id(), bytes, record);
      uniqueKeys.add(key);
      uniqueOwners.add(document);
    }

    private void send() {
      if (unique.size() > 0) {
        var keys = new ArrayList<Object>();
        unique.appendTo(keys);
        Integer taken =
            session.first(TAKEN, row -> row.getInt(1), keys.get(0), keys.get(1), keys.get(2), part);
        if (taken != null) {
          throw new UniqueViolationException(
              index.spec(), uniqueKeys.get(taken - 1), uniqueOwners.get(taken - 1));
        }
        session.update(ADD_UNIQUE, part, keys.get(0), keys.get(1), keys.get(2));
      }
      if (entries.size() > 0) {
        engine.facts().saw(part, index.id(), seen);
        session.update(SEEN, part, index.id(), seen.multikey(), seen.numbers());
        var keys = new ArrayList<Object>();
        entries.appendTo(keys);
        session.update(ADD, part, keys.get(0), keys.get(1), keys.get(2), keys.get(3));
      }
    }
  }
}
