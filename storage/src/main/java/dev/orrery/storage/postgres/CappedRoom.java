package dev.orrery.storage.postgres;

import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CappedLimits;
import dev.orrery.storage.postgres.PartReads.Found;
import dev.orrery.value.RawDocument;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Pushes the oldest documents out of capped collections, for those that a group brings. */
final class CappedRoom {
  private static final String LOCK =
      "SELECT docs, bytes FROM partition WHERE part = ? AND state = 0 FOR UPDATE";
  private static final String OLDEST =
      "SELECT rid, ver, body FROM doc WHERE part = ? AND rid > ? ORDER BY rid LIMIT 64";

  private record Size(long documents, long bytes) {}

  private final DatabaseSession session;
  private final GroupPlan plan;

  private CappedRoom(DatabaseSession session, GroupPlan plan) {
    this.session = session;
    this.plan = plan;
  }

  /** Adds to a plan what has to go; the session is in a transaction. */
  static void make(DatabaseSession session, GroupPlan plan) {
    var capped = new LinkedHashMap<Long, PlannedWrite>();
    for (PlannedWrite write : plan.applied) {
      if (write.state.info().cappedLimits() != null) {
        capped.putIfAbsent(write.part(), write);
      }
    }
    var room = new CappedRoom(session, plan);
    for (Map.Entry<Long, PlannedWrite> one : capped.entrySet()) {
      room.make(one.getKey(), one.getValue());
    }
  }

  private void make(long part, PlannedWrite one) {
    Size size = session.first(LOCK, row -> new Size(row.getLong(1), row.getLong(2)), part);
    if (size == null) {
      return; // the commit will say that it is stale
    }
    CappedLimits limits = one.state.info().cappedLimits();
    long documents = size.documents;
    long bytes = size.bytes;
    Set<Long> touched = new HashSet<>();
    for (PlannedWrite write : plan.applied) {
      if (write.part() == part) {
        documents += write.documents();
        bytes += write.growth();
        if (write.before != null) {
          touched.add(write.before.recordId());
        }
      }
    }
    long place = Long.MIN_VALUE;
    while (!limits.allow(documents, bytes)) {
      List<Found> page = session.query(OLDEST, CappedRoom::found, part, place);
      if (page.isEmpty()) {
        return; // what comes stays, even if it is too much
      }
      for (Found found : page) {
        place = found.record();
        if (!limits.allow(documents, bytes) && !touched.contains(place)) {
          documents--;
          bytes -= found.body().length;
          plan.pushOut(delete(one, found));
        }
      }
    }
  }

  private static Found found(ResultSet row) throws SQLException {
    return new Found(row.getLong(1), row.getLong(2), row.getBytes(3));
  }

  private static PlannedWrite delete(PlannedWrite one, Found found) {
    var stored =
        new StoredDocument(
            one.collection.partitions().get(0),
            found.record(),
            found.version(),
            RawDocument.wrap(found.body()));
    return PlannedWrite.of(new WriteOperation.Delete(one.collection, stored));
  }
}
