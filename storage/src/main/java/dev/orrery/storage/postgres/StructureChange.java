package dev.orrery.storage.postgres;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * One change of structures, inside a transaction that holds the catalog's row: nobody else changes
 * structures meanwhile. Partitions that it touches get the new epoch, so that whoever writes by an
 * older description is refused.
 */
final class StructureChange {
  private static final String LOCK = "SELECT epoch, time FROM partition WHERE part = 0 FOR UPDATE";
  private static final String LOCK_PARTS =
      "SELECT max(time), coalesce(sum(docs), 0)::bigint FROM (SELECT time, docs FROM partition"
          + " WHERE coll = ? AND coll > 0 AND state = 0 ORDER BY part FOR UPDATE) p";
  private static final String TIME = "SELECT next_time(?, 0)";
  private static final String FEED =
      "INSERT INTO feed (part, time, seq, kind, coll, body) VALUES (0, ?, ?, ?, 0, ?)";
  private static final String ADD_PART =
      "INSERT INTO partition (part, coll, epoch, state, time, next_rid, docs, bytes, keys)"
          + " VALUES (?, ?, ?, 0, ?, ?, 0, 0, 0)";

  private record Locked(long first, long second) {}

  private record Told(int kind, byte[] body) {}

  private final DatabaseSession session;
  private final long epoch;
  private final List<Told> told = new ArrayList<>();
  private final List<Integer> touched = new ArrayList<>();
  private final List<CollectionInfo> ended = new ArrayList<>();
  private long last;
  private long time;
  private boolean isChanged;

  StructureChange(DatabaseSession session) {
    this.session = session;
    Locked catalog = session.first(LOCK, row -> new Locked(row.getLong(1), row.getLong(2)));
    this.epoch = catalog.first + 1;
    this.last = catalog.second;
  }

  DatabaseSession session() {
    return session;
  }

  long epoch() {
    return epoch;
  }

  /** Waits for those who write to a collection; how many documents it has. */
  long lock(CollectionInfo info) {
    Locked locked =
        session.first(LOCK_PARTS, row -> new Locked(row.getLong(1), row.getLong(2)), info.id());
    last = Math.max(last, locked.first);
    return locked.second;
  }

  int nextCollection() {
    return session.first(
        "UPDATE partition SET next_rid = next_rid + 1 WHERE part = 0 RETURNING next_rid",
        row -> (int) row.getLong(1));
  }

  void create(CollectionInfo info) {
    session.update(
        "INSERT INTO collection (id, ns, epoch, info, building) VALUES (?, ?, ?, ?, ?)",
        info.id(),
        info.namespace().toString(),
        epoch,
        PostgresCatalog.bytes(info.toBson()),
        PostgresCatalog.bytes(List.of()));
    if (!info.isView()) {
      info.partitions().entries().forEach(entry -> addPart(info.id(), entry.id()));
    }
    tell(null, info);
  }

  void addPart(int collection, int partition) {
    session.update(
        ADD_PART,
        CollectionState.part(collection, partition),
        collection,
        epoch,
        0L,
        CollectionState.firstRecord(partition));
    if (!touched.contains(collection)) {
      touched.add(collection);
    }
  }

  void drop(CollectionInfo info) {
    lock(info);
    session.update("DELETE FROM collection WHERE id = ?", info.id());
    session.update(
        "INSERT INTO garbage (part, idx) SELECT part, -2 FROM partition WHERE coll = ? AND state = 0"
            + " ON CONFLICT DO NOTHING",
        info.id());
    session.update(
        "UPDATE partition SET state = 2, docs = 0, bytes = 0, keys = 0 WHERE coll = ?", info.id());
    touched.add(info.id());
    ended.add(info);
    tell(info, null);
  }

  /**
   * Describes a collection otherwise.
   *
   * @param building indexes that writers keep and nobody reads yet
   */
  void describe(CollectionInfo before, CollectionInfo after, List<IndexEntry> building) {
    lock(before);
    session.update(
        "UPDATE collection SET ns = ?, epoch = ?, info = ?, building = ? WHERE id = ?",
        after.namespace().toString(),
        epoch,
        PostgresCatalog.bytes(after.toBson()),
        PostgresCatalog.bytes(building),
        after.id());
    if (!touched.contains(after.id())) {
      touched.add(after.id());
    }
    if (!before.namespace().equals(after.namespace())) {
      ended.add(before);
    }
    if (!before.equals(after)) {
      tell(before, after);
    }
    isChanged = true;
  }

  /** Has the entries of an index deleted, in all partitions, when nobody uses them any more. */
  void forget(CollectionInfo info, int index) {
    session.update(
        "INSERT INTO garbage (part, idx) SELECT part, ? FROM partition WHERE coll = ? AND state = 0"
            + " ON CONFLICT DO NOTHING",
        index,
        info.id());
  }

  private void tell(@Nullable CollectionInfo before, @Nullable CollectionInfo after) {
    var document = new BsonDocument();
    if (before != null) {
      document.append("before", before.toBson());
    }
    if (after != null) {
      document.append("after", after.toBson());
    }
    told.add(new Told(FeedPages.STRUCTURE, PostgresCatalog.bytes(document)));
    isChanged = true;
  }

  void announce(BsonDocument announcement) {
    told.add(new Told(FeedPages.ANNOUNCEMENT, PostgresCatalog.bytes(announcement)));
    isChanged = true;
  }

  /** Something that nobody follows. */
  void changed() {
    isChanged = true;
  }

  /** The last statements of the transaction; its cluster time, 0 when nothing has changed. */
  long finish() {
    if (!isChanged) {
      return 0;
    }
    time = session.first(TIME, row -> row.getLong(1), last);
    for (int i = 0; i < told.size(); i++) {
      session.update(FEED, time, i, told.get(i).kind, told.get(i).body);
    }
    for (CollectionInfo info : ended) {
      session.update(
          "INSERT INTO past (coll, until, info) VALUES (?, ?, ?)",
          info.id(),
          time,
          PostgresCatalog.bytes(info.toBson()));
    }
    for (int collection : touched) {
      session.update(
          "UPDATE partition SET epoch = ?, time = ? WHERE coll = ? AND coll > 0",
          epoch,
          time,
          collection);
    }
    session.update(
        "UPDATE partition SET epoch = ?, time = ? WHERE part = 0",
        touched.isEmpty() ? epoch - 1 : epoch,
        time);
    return time;
  }
}
