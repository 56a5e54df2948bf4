package dev.orrery.storage.postgres;

import dev.orrery.storage.IndexRange;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.postgres.PartReads.Found;
import dev.orrery.storage.postgres.PartReads.Question;
import dev.orrery.storage.postgres.PartReads.Target;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Rows are read in the order of the B-tree: (key, rid). That is the order of the entries, but for
 * long keys (LongKey), of which the B-tree has the heads. A page ends before the first of those; its
 * run, all entries with the same head, is then read by pages of its own, sorted by tail.
 */

/** The entries of an index in one partition, one page after the other. */
final class EntryPages {
  private static final int PAGE_FIRST = 32;
  private static final int PAGE_MAX = 256;
  private static final int PAGE_GROWTH = 4;
  private static final long DOCUMENT_BYTES = 1L << 20;
  private static final byte[] INFINITE = infinite();

  /**
   * An entry.
   *
   * @param document what came with it; null if it is to be fetched
   */
  record Entry(byte[] key, long record, @Nullable Found document) {}

  private record Row(LongKey key, long record, @Nullable Found document, Seen seen) {}

  private final PostgresPartition partition;
  private final IndexSpec spec;
  private final IndexRange range;
  private final byte[] limit;
  private final boolean isLimitInclusive;
  private byte[] head;
  private long record;

  /** The tail behind which a run goes on; null outside of runs. */
  private byte @Nullable [] tail;

  private int index = -1;
  private int size = PAGE_FIRST;
  private boolean isPrefetching;
  private Seen seen = Seen.NOTHING;

  EntryPages(PostgresPartition partition, IndexSpec spec, IndexRange range) {
    this.partition = partition;
    this.spec = spec;
    this.range = range;
    boolean isReverse = range.reverse();
    byte[] start = isReverse ? range.high() : range.low();
    boolean isStartInclusive = isReverse ? range.highInclusive() : range.lowInclusive();
    this.head = start == null ? isReverse ? INFINITE : new byte[0] : LongKey.of(start).head();
    boolean isWithin = isStartInclusive || start == null || LongKey.isLong(start);
    this.record = isWithin != isReverse ? Long.MIN_VALUE : Long.MAX_VALUE;
    byte[] end = isReverse ? range.low() : range.high();
    boolean isEndInclusive = isReverse ? range.lowInclusive() : range.highInclusive();
    this.limit = end == null ? isReverse ? new byte[0] : INFINITE : LongKey.of(end).head();
    this.isLimitInclusive = isEndInclusive || end == null || LongKey.isLong(end);
  }

  private static byte[] infinite() {
    byte[] bytes = new byte[LongKey.HEAD_BYTES + 1];
    Arrays.fill(bytes, (byte) -1);
    return bytes;
  }

  /** What the fields of the index had met when the last page was read. */
  Seen seen() {
    return seen;
  }

  /**
   * The next entries that are inside the range; empty at the end.
   *
   * @param from a key before which nothing is wanted; null if all is
   */
  List<Entry> next(DatabaseSession session, byte @Nullable [] from) {
    skipTo(from);
    for (; ; ) {
      List<Row> rows = rows(session);
      if (rows.isEmpty() && tail == null) {
        return List.of();
      }
      List<Entry> entries = take(rows);
      if (!entries.isEmpty()) {
        return entries;
      }
    }
  }

  private void skipTo(byte @Nullable [] from) {
    if (from == null) {
      return;
    }
    byte[] sought = LongKey.of(from).head();
    int order = Arrays.compareUnsigned(sought, head);
    if (range.reverse() ? order < 0 : order > 0) {
      head = sought;
      record = range.reverse() ? Long.MAX_VALUE : Long.MIN_VALUE;
      tail = null;
    }
  }

  private List<Row> rows(DatabaseSession session) {
    isPrefetching = tail == null && partition.prefetched().isWanted();
    int asked = size;
    List<Row> rows = new PartReads(partition, session).ask(this::row, this::question);
    if (rows == null) {
      tail = null;
      return List.of();
    }
    size = Math.min(PAGE_MAX, PAGE_GROWTH * asked);
    if (!rows.isEmpty()) {
      seen = rows.get(0).seen;
    }
    return rows;
  }

  /** Moves the place behind what it takes of the rows. */
  private List<Entry> take(List<Row> rows) {
    var entries = new ArrayList<Entry>();
    boolean isRun = tail != null;
    for (Row row : rows) {
      if (!isRun && LongKey.isLong(row.key.head())) {
        head = row.key.head();
        tail = range.reverse() ? INFINITE : new byte[0];
        record = range.reverse() ? Long.MAX_VALUE : Long.MIN_VALUE;
        return entries;
      }
      head = row.key.head();
      record = row.record;
      if (isRun) {
        tail = row.key.tail();
      }
      byte[] key = row.key.whole();
      if (isInside(key)) {
        entries.add(new Entry(key, row.record, row.document));
      }
    }
    if (isRun && rows.isEmpty()) { // behind all entries with this head
      tail = null;
      record = range.reverse() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return entries;
  }

  private boolean isInside(byte[] key) {
    if (!LongKey.isLong(key)) {
      return true; // the database has looked
    }
    if (range.low() != null) {
      int order = Arrays.compareUnsigned(key, range.low());
      if (range.lowInclusive() ? order < 0 : order <= 0) {
        return false;
      }
    }
    if (range.high() != null) {
      int order = Arrays.compareUnsigned(key, range.high());
      return range.highInclusive() ? order <= 0 : order < 0;
    }
    return true;
  }

  private Question question(Target at) {
    CollectionState.Index found =
        index < 0 ? partition.require(at.state(), spec) : at.state().index(index);
    if (found == null || !found.isReady()) { // also if there is another one of the same name by now
      throw PostgresPartition.dropped(spec);
    }
    index = found.id();
    Object part = at.isMoved() ? at.parts() : (Object) at.parts()[0];
    var parameters = new ArrayList<Object>(List.of(at.parts(), at.parts(), index));
    if (isPrefetching) {
      parameters.add(DOCUMENT_BYTES);
    }
    parameters.addAll(List.of(part, index));
    if (tail != null) {
      parameters.addAll(List.of(head, tail, record));
    } else {
      parameters.addAll(List.of(head, record, limit));
    }
    if (at.isMoved()) {
      parameters.addAll(List.of(at.low(), at.high()));
    }
    parameters.add(size);
    return new Question(sql(at.isMoved()), parameters.toArray());
  }

  private String sql(boolean isMoved) {
    boolean isReverse = range.reverse();
    String direction = isReverse ? " DESC" : "";
    String after = isReverse ? " < " : " > ";
    String within =
        isReverse ? isLimitInclusive ? " >= ?" : " > ?" : isLimitInclusive ? " <= ?" : " < ?";
    String order = tail != null ? "tail" : "key";
    String place =
        tail != null
            ? " AND e.key = ? AND (e.tail, e.rid)" + after + "(?, ?)"
            : " AND (e.key, e.rid)" + after + "(?, ?) AND e.key" + within;
    String join = isMoved ? " JOIN doc d ON d.part = e.part AND d.rid = e.rid" : "";
    String inRange = isMoved ? " AND d.pkey >= ? AND d.pkey < ?" : "";
    String entries =
        "SELECT e.part, e.key, e.rid, e.tail FROM ent e"
            + join
            + (isMoved ? " WHERE e.part = ANY (?)" : " WHERE e.part = ?")
            + " AND e.idx = ?"
            + place
            + inRange
            + " ORDER BY e.%s%s, e.rid%s LIMIT ?".formatted(order, direction, direction);
    return PartReads.FENCE
        + "SELECT x.*, s.multikey, s.numbers FROM (SELECT bit_or(multikey) AS multikey,"
        + " bit_or(numbers) AS numbers FROM idxstat WHERE part = ANY (?) AND idx = ?) s CROSS JOIN ("
        + (isPrefetching ? withDocuments(entries, direction) : entries)
        + ") x"
        + PartReads.END
        + " ORDER BY r.%s%s, r.rid%s".formatted(order, direction, direction);
  }

  /** The documents too, up to so many bytes. */
  private static String withDocuments(String entries, String direction) {
    return "SELECT y.part, y.key, y.rid, y.tail, y.ver, CASE WHEN y.total < ? THEN y.body END AS body"
        + " FROM (SELECT z.*, d.ver, d.body, sum(octet_length(d.body)) OVER (ORDER BY z.key"
        + direction
        + ", z.rid"
        + direction
        + ") AS total FROM ("
        + entries
        + ") z LEFT JOIN doc d ON d.part = z.part AND d.rid = z.rid) y";
  }

  private Row row(ResultSet row) throws SQLException {
    int first = PartReads.FENCED;
    var key = new LongKey(row.getBytes(first + 2), row.getBytes(first + 4));
    long number = row.getLong(first + 3);
    int next = first + 5;
    Found document = null;
    if (isPrefetching) {
      byte[] body = row.getBytes(next + 1);
      document = body == null ? null : new Found(number, row.getLong(next), body);
      next += 2;
    }
    return new Row(key, number, document, new Seen(row.getLong(next), row.getLong(next + 1)));
  }
}
