package dev.orrery.storage.postgres;

import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.PartitionStore.IndexStatistics;
import dev.orrery.storage.PartitionStore.LargestKey;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.PrimaryKeys;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Questions about one partition. Each says with its answer whether the partitions that it looked at
 * serve, and in which epoch: if those are not the ones that are known, it is asked again.
 */
final class PartReads {
  /** Stands before every answer, also an empty one. */
  static final String FENCE =
      "SELECT f.live, f.epoch, f.docs, f.bytes, f.keys, r.* FROM (SELECT count(*) AS live,"
          + " max(epoch) AS epoch, sum(docs)::bigint AS docs, sum(bytes)::bigint AS bytes,"
          + " sum(keys)::bigint AS keys FROM partition WHERE part = ANY (?) AND state = 0) f"
          + " LEFT JOIN LATERAL (";

  static final String END = ") r ON true";

  /** Columns of the fence. */
  static final int FENCED = 5;

  private static final String IN_RANGE = " AND d.pkey >= ? AND d.pkey < ?";

  private static final String FIND =
      FENCE
          + "SELECT d.rid, d.ver, d.body FROM uniq u JOIN doc d ON d.part = u.part AND d.rid = u.rid"
          + " WHERE u.part = ANY (?) AND u.idx = -1 AND u.key = ?"
          + IN_RANGE
          + END;

  private static final String FETCH =
      FENCE
          + "SELECT d.rid, d.ver, d.body FROM doc d WHERE d.part = ANY (?) AND d.rid = ANY (?)"
          + IN_RANGE
          + END;

  private static final String NOTHING = FENCE + "SELECT 1" + END;

  private static final String COUNT =
      FENCE
          + "SELECT count(*), coalesce(sum(octet_length(d.body)), 0), count(DISTINCT d.pkey) FROM doc d"
          + " WHERE d.part = ANY (?)"
          + IN_RANGE
          + END;

  private static final String ENTRIES =
      FENCE
          + "SELECT count(*), coalesce(sum(octet_length(e.key) + octet_length(e.tail) + 40), 0)"
          + " FROM ent e WHERE e.part = ANY (?) AND e.idx = ?"
          + END;

  private static final String LARGEST =
      FENCE
          + "SELECT d.pkey, d.bytes AS size, d.docs AS documents FROM pkstat d"
          + " WHERE d.part = ANY (?)"
          + IN_RANGE
          + " ORDER BY d.bytes DESC LIMIT 1"
          + END;

  private static final String SEEN =
      "SELECT multikey, numbers FROM idxstat WHERE part = ? AND idx = ?";

  /** A document that was read. */
  record Found(long record, long version, byte[] body) {}

  /**
   * Which rows belong to a partition.
   *
   * @param parts where they are: one, unless the partition was split or merged since
   * @param isMoved whether others have them now, perhaps together with other rows
   */
  record Target(CollectionState state, long[] parts, boolean isMoved, byte[] low, byte[] high) {
    static Target of(CollectionState state, int id, EpkRange range) {
      byte[] low = range.minInclusive().getBytes(StandardCharsets.US_ASCII);
      byte[] high = range.maxExclusive().getBytes(StandardCharsets.US_ASCII);
      if (state.info().partitions().find(id) != null) {
        return new Target(state, new long[] {state.part(id)}, false, low, high);
      }
      long[] parts =
          state.owners(range).stream().map(PartitionMap.Entry::id).mapToLong(state::part).toArray();
      return new Target(state, parts, true, low, high);
    }
  }

  /** An answer with what the fence said. */
  private record Fenced<T>(long live, long epoch, PartitionStatistics sizes, @Nullable T answer) {}

  private final PostgresPartition partition;
  private final DatabaseSession session;

  PartReads(PostgresPartition partition, DatabaseSession session) {
    this.partition = partition;
    this.session = session;
  }

  /** What to ask of certain rows. */
  record Question(String sql, Object... parameters) {}

  /** Asks until the partitions were those that are known; null when the collection is gone. */
  <T> @Nullable List<T> ask(DatabaseSession.Row<T> row, Function<Target, Question> about) {
    for (; ; ) {
      Target target = partition.target();
      if (target == null) {
        return null;
      }
      Question question = about.apply(target);
      List<Fenced<T>> rows =
          session.query(question.sql, found -> fenced(found, row), question.parameters);
      Fenced<T> first = rows.get(0);
      boolean isKnown = first.live == target.parts.length && first.epoch == target.state.epoch();
      if (isKnown || !partition.reader.refresh(session)) {
        if (!target.isMoved) {
          partition.collection.engine.facts().heard(target.parts[0], first.sizes);
        }
        return rows.stream().filter(one -> one.answer != null).map(Fenced::answer).toList();
      }
    }
  }

  private static <T> Fenced<T> fenced(ResultSet row, DatabaseSession.Row<T> answer)
      throws SQLException {
    row.getObject(FENCED + 1);
    boolean isThere = !row.wasNull();
    return new Fenced<>(
        row.getLong(1),
        row.getLong(2),
        new PartitionStatistics(row.getLong(3), row.getLong(4), row.getLong(5)),
        isThere ? answer.of(row) : null);
  }

  static Found found(ResultSet row) throws SQLException {
    return new Found(row.getLong(FENCED + 1), row.getLong(FENCED + 2), row.getBytes(FENCED + 3));
  }

  @Nullable Found find(byte[] primaryKey) {
    List<Found> found =
        ask(
            PartReads::found,
            at -> new Question(FIND, at.parts, at.parts, primaryKey, at.low, at.high));
    return found == null || found.isEmpty() ? null : found.get(0);
  }

  List<Found> fetch(long[] records) {
    List<Found> found =
        ask(
            PartReads::found,
            at -> new Question(FETCH, at.parts, at.parts, records, at.low, at.high));
    return found == null ? List.of() : found;
  }

  PartitionStatistics statistics() {
    List<PartitionStatistics> found =
        ask(
            row -> sizes(row, row.getMetaData().getColumnCount() > FENCED + 1 ? FENCED + 1 : 3),
            at -> at.isMoved ? inRange(COUNT, at) : new Question(NOTHING, (Object) at.parts));
    return found == null ? PartitionStatistics.NONE : found.get(0);
  }

  private static Question inRange(String sql, Target at) {
    return new Question(sql, at.parts, at.parts, at.low, at.high);
  }

  private static PartitionStatistics sizes(ResultSet row, int column) throws SQLException {
    return new PartitionStatistics(
        row.getLong(column), row.getLong(column + 1), row.getLong(column + 2));
  }

  Seen seen(long part, int index) {
    Seen seen = session.first(SEEN, row -> new Seen(row.getLong(1), row.getLong(2)), part, index);
    return seen == null ? Seen.NOTHING : seen;
  }

  IndexStatistics statistics(IndexSpec spec, FieldsSeen fields) {
    List<IndexStatistics> found =
        ask(
            row -> new IndexStatistics(row.getLong(FENCED + 1), row.getLong(FENCED + 2), fields),
            at ->
                new Question(ENTRIES, at.parts, at.parts, partition.require(at.state, spec).id()));
    if (found == null) {
      throw partition.collection.dropped();
    }
    return found.get(0);
  }

  List<LargestKey> largest() {
    List<LargestKey> found = ask(PartReads::largest, at -> inRange(LARGEST, at));
    return found == null ? List.of() : found;
  }

  private static LargestKey largest(ResultSet row) throws SQLException {
    return new LargestKey(
        PrimaryKeys.valueOfLogicalKey(row.getBytes(FENCED + 1)),
        row.getLong(FENCED + 2),
        row.getLong(FENCED + 3));
  }
}
