package dev.orrery.storage.postgres;

import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.ThroughputShares;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.partition.Renumbering;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Splits and merges, each as one transaction that gives rows another partition. Writers of these
 * partitions wait for it; readers do not.
 */
final class Repartition {
  private static final List<String> MOVES =
      List.of(
          "UPDATE doc SET part = ? WHERE part = ? AND pkey >= ? AND pkey < ?",
          "UPDATE pkstat SET part = ? WHERE part = ? AND pkey >= ? AND pkey < ?");

  private static final List<String> FOLLOW =
      List.of(
          "UPDATE uniq x SET part = d.part FROM doc d WHERE x.part = ? AND d.part = ? AND d.rid = x.rid",
          "UPDATE ent x SET part = d.part FROM doc d WHERE x.part = ? AND d.part = ? AND d.rid = x.rid");

  private static final String COUNT =
      "UPDATE partition p SET docs = s.docs, bytes = s.bytes, keys = s.keys FROM (SELECT"
          + " coalesce(sum(docs), 0)::bigint AS docs, coalesce(sum(bytes), 0)::bigint AS bytes,"
          + " count(*) AS keys FROM pkstat WHERE part = ?) s WHERE p.part = ?";

  private static final String SEEN =
      "INSERT INTO idxstat AS s (part, idx, multikey, numbers) SELECT ?, idx, multikey, numbers FROM"
          + " idxstat WHERE part = ? ON CONFLICT (part, idx) DO UPDATE SET multikey = s.multikey |"
          + " excluded.multikey, numbers = s.numbers | excluded.numbers";

  private final PostgresEngine engine;
  private final PostgresCollection collection;

  Repartition(PostgresEngine engine, PostgresCollection collection) {
    this.engine = engine;
    this.collection = collection;
  }

  private static PartitionMap.Entry require(CollectionInfo info, int partition) {
    PartitionMap.Entry entry = info.partitions().find(partition);
    if (entry == null) {
      throw StructureChanges.noPartition(partition);
    }
    return entry;
  }

  void split(int partition, String boundary) {
    long started = System.nanoTime();
    List<Integer> children =
        engine.structures().change(change -> split(change, partition, boundary));
    tell(List.of(partition), children, started);
  }

  private List<Integer> split(StructureChange change, int partition, String boundary) {
    CollectionState state = StructureChanges.require(collection);
    CollectionInfo info = state.info();
    PartitionMap.Entry entry = require(info, partition);
    if (!entry.range().contains(boundary) || entry.range().minInclusive().equals(boundary)) {
      throw new IllegalArgumentException(boundary + " is not inside " + entry.range());
    }
    PartitionMap map = info.partitions().split(partition, boundary, 0);
    List<Integer> children = List.of(map.nextId() - 2, map.nextId() - 1);
    change.describe(
        info,
        info.withPartitions(map)
            .withThroughput(ThroughputShares.split(info.throughput(), partition, children)),
        StructureChanges.building(state));
    for (int child : children) {
      change.addPart(info.id(), child);
      move(change.session(), state, entry, map.find(child));
    }
    end(change.session(), state, List.of(partition));
    return children;
  }

  int merge(int partition, int neighbour) {
    long started = System.nanoTime();
    int merged = engine.structures().change(change -> merge(change, partition, neighbour));
    tell(List.of(partition, neighbour), List.of(merged), started);
    return merged;
  }

  private int merge(StructureChange change, int partition, int neighbour) {
    CollectionState state = StructureChanges.require(collection);
    CollectionInfo info = state.info();
    PartitionMap.Entry one = require(info, partition);
    PartitionMap.Entry other = require(info, neighbour);
    boolean isLower = one.range().maxExclusive().equals(other.range().minInclusive());
    PartitionMap.Entry lower = isLower ? one : other;
    PartitionMap.Entry upper = isLower ? other : one;
    if (!lower.range().maxExclusive().equals(upper.range().minInclusive())) {
      throw new IllegalArgumentException(partition + " and " + neighbour + " are no neighbours");
    }
    var none = new Renumbering(upper.range(), 0, 0, 0);
    PartitionMap map = info.partitions().merge(lower, upper, none, 0);
    int merged = info.partitions().nextId();
    List<Integer> parents = List.of(lower.id(), upper.id());
    change.describe(
        info,
        info.withPartitions(map)
            .withThroughput(
                ThroughputShares.merge(
                    info.throughput(), info.partitions().size(), parents, merged)),
        StructureChanges.building(state));
    change.addPart(info.id(), merged);
    move(change.session(), state, lower, map.find(merged));
    move(change.session(), state, upper, map.find(merged));
    end(change.session(), state, parents);
    return merged;
  }

  /** Gives what a child's range has of a parent to the child. */
  private static void move(
      DatabaseSession session,
      CollectionState state,
      PartitionMap.Entry parent,
      PartitionMap.Entry child) {
    long from = state.part(parent.id());
    long to = state.part(child.id());
    EpkRange range = child.range();
    byte[] low = range.minInclusive().getBytes(StandardCharsets.US_ASCII);
    byte[] high = range.maxExclusive().getBytes(StandardCharsets.US_ASCII);
    MOVES.forEach(sql -> session.update(sql, to, from, low, high));
    FOLLOW.forEach(sql -> session.update(sql, from, to));
    session.update(SEEN, to, from);
    session.update(COUNT, to, to);
  }

  private static void end(DatabaseSession session, CollectionState state, List<Integer> parents) {
    for (int parent : parents) {
      long part = state.part(parent);
      session.update(
          "UPDATE partition SET state = 2, docs = 0, bytes = 0, keys = 0 WHERE part = ?", part);
      session.update("DELETE FROM idxstat WHERE part = ?", part);
    }
  }

  private void tell(List<Integer> before, List<Integer> after, long started) {
    CollectionInfo info = collection.info();
    before.forEach(id -> engine.facts().forget(CollectionState.part(info.id(), id)));
    engine
        .observer()
        .repartitioned(
            new StorageObserver.Repartition(
                info.namespace(), info.uuid(), before, after, System.nanoTime() - started));
  }
}
