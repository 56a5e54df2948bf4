package dev.orrery.storage.postgres;

import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.postgres.CollectionState.Index;
import dev.orrery.storage.postgres.PartReads.Found;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares what indexes have with what documents say, at one point. */
final class PostgresValidation {
  private static final int PAGE_ROWS = 64;
  private static final String PAGE =
      "SELECT rid, ver, body FROM doc WHERE part = ? AND rid > ? ORDER BY rid LIMIT ?";
  private static final String LACKING =
      "SELECT k.idx, k.rid FROM unnest(?, ?, ?, ?) AS k(idx, key, tail, rid) LEFT JOIN ent e ON"
          + " e.part = ? AND e.idx = k.idx AND e.key = k.key AND e.rid = k.rid AND e.tail = k.tail"
          + " WHERE e.rid IS NULL";
  private static final String LACKING_UNIQUE =
      "SELECT k.idx, k.rid FROM unnest(?, ?, ?) AS k(idx, key, rid) LEFT JOIN uniq e ON"
          + " e.part = ? AND e.idx = k.idx AND e.key = k.key AND e.rid = k.rid WHERE e.rid IS NULL";
  private static final String COUNT = "SELECT count(*) FROM %s WHERE part = ? AND idx = ?";
  private static final String SIZES = "SELECT docs, bytes FROM partition WHERE part = ?";

  /** What was found. */
  record Faults(List<String> lines, Set<Integer> indexes, long missing, long extra) {}

  private record Sizes(long documents, long bytes) {}

  private record Lack(int index, long record) {}

  private final PostgresCollection collection;
  private final CollectionState state;
  private final DatabaseSession session;
  private final List<String> lines = new ArrayList<>();
  private final Set<Integer> faulty = new LinkedHashSet<>();
  private long missing;
  private long extra;

  private PostgresValidation(
      PostgresCollection collection, CollectionState state, DatabaseSession session) {
    this.collection = collection;
    this.state = state;
    this.session = session;
  }

  /** Looks at all partitions. */
  static Faults run(PostgresCollection collection, CollectionState state, DatabaseSession session) {
    var validation = new PostgresValidation(collection, state, session);
    for (PartitionMap.Entry entry : state.info().partitions().entries()) {
      validation.check(state.part(entry.id()));
    }
    return new Faults(validation.lines, validation.faulty, validation.missing, validation.extra);
  }

  private void check(long part) {
    var wanted = new HashMap<Integer, Long>();
    var wantedUnique = new HashMap<Integer, Long>();
    long documents = 0;
    long bytes = 0;
    long place = Long.MIN_VALUE;
    List<Found> page;
    do {
      page =
          session.query(
              PAGE,
              row -> new Found(row.getLong(1), row.getLong(2), row.getBytes(3)),
              part,
              place,
              PAGE_ROWS);
      check(part, page, wanted, wantedUnique);
      for (Found found : page) {
        place = found.record();
        documents++;
        bytes += found.body().length;
      }
    } while (page.size() == PAGE_ROWS);
    for (Index index : state.indexes()) {
      if (index.isReady()) {
        compare(index.spec().name(), "ent", part, index.id(), wanted);
      }
    }
    for (int index : wantedUnique.keySet()) {
      compare("unique keys of " + index, "uniq", part, index, wantedUnique);
    }
    Sizes sizes = session.first(SIZES, row -> new Sizes(row.getLong(1), row.getLong(2)), part);
    if (sizes.documents != documents || sizes.bytes != bytes) {
      lines.add(
          "partition %d counts %s and has %d documents of %d bytes"
              .formatted(part, sizes, documents, bytes));
    }
  }

  private void compare(String name, String table, long part, int index, Map<Integer, Long> wanted) {
    long present = session.first(COUNT.formatted(table), row -> row.getLong(1), part, index);
    long expected = wanted.getOrDefault(index, 0L);
    if (present != expected) {
      lines.add(name + " has " + present + " entries for " + expected);
      extra += Math.max(0, present - expected);
      faulty.add(index);
    }
  }

  private void check(
      long part, List<Found> page, Map<Integer, Long> wanted, Map<Integer, Long> wantedUnique) {
    var entries = new Columns("ibbl");
    var unique = new Columns("ibl");
    for (Found found : page) {
      RawDocument document = RawDocument.wrap(found.body());
      PrimaryKey key = collection.keys.of(document);
      unique.add(PlannedWrite.PRIMARY, key.bytes(), found.record());
      wantedUnique.merge(PlannedWrite.PRIMARY, 1L, Long::sum);
      for (Index index : state.indexes()) {
        if (!index.isReady()) {
          continue;
        }
        for (byte[] one : index.keys().of(document)) {
          LongKey of = LongKey.of(one);
          entries.add(index.id(), of.head(), of.tail(), found.record());
          wanted.merge(index.id(), 1L, Long::sum);
          if (index.isUnique()) {
            byte[] bytes = PrimaryKeys.uniqueKey(key.logicalKey(), one);
            unique.add(index.id(), bytes, found.record());
            wantedUnique.merge(index.id(), 1L, Long::sum);
          }
        }
      }
    }
    lack(LACKING, entries, part);
    lack(LACKING_UNIQUE, unique, part);
  }

  private void lack(String sql, Columns columns, long part) {
    var parameters = new ArrayList<Object>();
    columns.appendTo(parameters);
    parameters.add(part);
    for (Lack lack :
        session.query(sql, row -> new Lack(row.getInt(1), row.getLong(2)), parameters.toArray())) {
      missing++;
      faulty.add(lack.index);
      Index index = state.index(lack.index);
      lines.add(
          (index == null ? "the primary key" : index.spec().name())
              + " lacks an entry of "
              + lack.record);
    }
  }
}
