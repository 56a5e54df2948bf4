package dev.orrery.storage.postgres;

import dev.orrery.storage.Change;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Reads the table of changes by pages of whole groups. */
final class FeedPages {
  static final int STRUCTURE = 3;
  static final int ANNOUNCEMENT = 4;

  private static final int ROWS = 1_000;
  private static final int ROWS_MAX = 1_000_000;
  private static final int ROW_BYTES = 100;
  private static final long MICROS = 1_000_000;
  private static final int TIMES_PER_MICRO = 4096;

  /** A time that no transaction gets which this statement does not see and that begins later. */
  private static final String NOW =
      "((extract(epoch FROM statement_timestamp()) * 1000000)::bigint / 1000000 << 32)"
          + " + (extract(epoch FROM statement_timestamp()) * 1000000)::bigint % 1000000 * 4096 - 1";

  private static final String PAGE =
      "WITH s AS (SELECT pg_snapshot_xmin(x)::text::bigint AS low, pg_snapshot_xmax(x)::text::bigint"
          + " AS high, "
          + NOW
          + " AS now FROM pg_current_snapshot() x)"
          + " SELECT s.low, s.high, s.now, f.time, f.kind, f.coll, f.body, f.delta, f.before, f.named,"
          + " f.total FROM s LEFT JOIN LATERAL (SELECT g.*, coalesce((SELECT b.info FROM past b WHERE"
          + " b.coll = g.coll AND b.until >= g.time ORDER BY b.until LIMIT 1), (SELECT c.info FROM"
          + " collection c WHERE c.id = g.coll)) AS named, sum(g.size) OVER (ORDER BY g.time, g.part,"
          + " g.seq) AS total FROM (SELECT e.*, 100 + coalesce(octet_length(e.body), 0) +"
          + " coalesce(octet_length(e.before), 0) AS size FROM partition p CROSS JOIN LATERAL"
          + " (SELECT * FROM feed t WHERE t.part = p.part AND t.time > ? AND t.time <= CASE WHEN s.low"
          + " = s.high THEN s.now ELSE ? END ORDER BY t.time, t.seq LIMIT ?) e WHERE p.time > ?"
          + " ORDER BY e.time, e.part, e.seq LIMIT ?) g) f ON f.total - f.size < ?"
          + " ORDER BY f.time, f.part, f.seq";

  private record Row(
      long low, long high, long now, long time, int kind, int collection, Body body, long total) {}

  private record Body(byte[] body, byte[] delta, byte[] before, byte[] named) {}

  private long safe;
  private long pendingTime;
  private long pendingHigh;

  /** Up to this time everything is visible. */
  long safe() {
    return safe;
  }

  /** The next groups after a time, at least one if there is one. */
  List<CommittedGroup> after(DatabaseSession session, long time, int bytesMax) {
    for (int rows = ROWS, bytes = bytesMax; ; ) {
      List<Row> page = page(session, time, rows, bytes);
      boolean isCut = page.size() >= rows || !page.isEmpty() && last(page).total >= bytes;
      List<CommittedGroup> groups = groups(page, isCut);
      if (!groups.isEmpty() || !isCut) {
        return groups;
      }
      if (rows >= ROWS_MAX) { // as large as one group may be
        return groups(page, false);
      }
      rows = 2 * rows;
      bytes = (int) Math.min(Integer.MAX_VALUE, 4L * bytes);
    }
  }

  private static Row last(List<Row> page) {
    return page.get(page.size() - 1);
  }

  private List<Row> page(DatabaseSession session, long time, int rows, int bytes) {
    List<Row> page =
        session.query(PAGE, FeedPages::row, time, safe, rows, time, rows, (long) bytes);
    Row first = page.get(0);
    if (first.low == first.high) {
      safe = Math.max(safe, first.now);
    } else if (pendingHigh != 0 && first.low >= pendingHigh) {
      safe = Math.max(safe, pendingTime);
      pendingHigh = 0;
    }
    if (pendingHigh == 0) {
      pendingHigh = first.high;
      pendingTime = first.now;
    }
    return first.time == 0 ? List.of() : page;
  }

  private static Row row(ResultSet row) throws SQLException {
    var body = new Body(row.getBytes(7), row.getBytes(8), row.getBytes(9), row.getBytes(10));
    return new Row(
        row.getLong(1),
        row.getLong(2),
        row.getLong(3),
        row.getLong(4),
        row.getInt(5),
        row.getInt(6),
        body,
        row.getLong(11));
  }

  private static List<CommittedGroup> groups(List<Row> page, boolean isCut) {
    var groups = new ArrayList<CommittedGroup>();
    int end = page.size();
    if (isCut) { // the last group may have more
      long last = last(page).time;
      while (end > 0 && page.get(end - 1).time == last) {
        end--;
      }
    }
    for (int i = 0; i < end; ) {
      long time = page.get(i).time;
      var changes = new ArrayList<Change>();
      int bytes = 0;
      for (; i < end && page.get(i).time == time; i++) {
        changes.add(change(page.get(i)));
        byte[] body = page.get(i).body.body;
        bytes += ROW_BYTES + (body == null ? 0 : body.length);
      }
      groups.add(new CommittedGroup(time, millis(time), changes, bytes));
    }
    return groups;
  }

  private static long millis(long time) {
    long micros = (time & 0xFFFF_FFFFL) / TIMES_PER_MICRO;
    return (time >>> Integer.SIZE) * 1000 + Math.min(MICROS - 1, micros) / 1000;
  }

  private static Change change(Row row) {
    Body of = row.body;
    if (row.kind == ANNOUNCEMENT) {
      return new Change.Announcement(RawDocument.wrap(of.body).toBsonDocument());
    }
    if (row.kind == STRUCTURE) {
      BsonDocument told = RawDocument.wrap(of.body).toBsonDocument();
      return new Change.OfStructure(info(told, "before"), info(told, "after"));
    }
    Change.Kind kind = Change.Kind.values()[row.kind];
    var image = new Change.Image(document(of.delta), document(of.before), null);
    return new Change.OfDocument(kind, identity(row), document(of.body), image);
  }

  private static @Nullable RawDocument document(byte @Nullable [] bytes) {
    return bytes == null ? null : RawDocument.wrap(bytes);
  }

  private static @Nullable CollectionInfo info(BsonDocument told, String side) {
    return told.containsKey(side) ? CollectionInfo.fromBson(told.getDocument(side)) : null;
  }

  private static CollectionIdentity identity(Row row) {
    return CollectionIdentity.of(PostgresCatalog.info(row.body.named));
  }
}
