package dev.orrery.storage.reshape;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.ThroughputShares;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.partition.Renumbering;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.physical.SplitMirror;
import dev.orrery.storage.physical.Successor;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.function.Predicate;

/** Makes one partition out of two neighbours. */
public final class PartitionMerge implements Takeover.Change {
  /*
   * Both parents gave record ids of their own, so most ids mean one document here and another there. The
   * lower parent keeps its ids; those of the upper one are raised above them, all by the same number.
   * Siblings of a split share no id from before it, so there only later ids are raised: splitting
   * and merging over and over does not use up the numbers. Between the two is room for what the
   * lower one takes while the merge goes on.
   *
   * Log records of the upper parent have the old ids for ever. The partition map remembers the
   * renumbering and up to which record it counts, and whoever reads the log asks the map.
   */
  private static final long ROOM = 1 << 20;

  /** Slots have room for more; a partition comes here after very many merges of strangers. */
  private static final long IDS_MAX = 1L << 48;

  private final EngineParts engine;
  private final ChronicleCollection collection;
  private final PhysicalPartition lower;
  private final PhysicalPartition upper;
  private final PhysicalPartition child;
  private final long lowerIdMax;
  private Renumbering renumbering;

  private PartitionMerge(
      EngineParts engine,
      ChronicleCollection collection,
      PhysicalPartition lower,
      PhysicalPartition upper) {
    this.engine = engine;
    this.collection = collection;
    this.lower = lower;
    this.upper = upper;
    PartitionMap present = collection.info().partitions();
    PartitionMap.Entry entry = present.find(lower.id());
    long kept = entry.isSiblingOf(present.find(upper.id())) ? entry.givenIds() : 0;
    this.lowerIdMax = lower.files().givenIds() + ROOM;
    this.renumbering = new Renumbering(upper.range(), Long.MAX_VALUE, kept, lowerIdMax - kept);
    PartitionMap map = mapAfter(collection.info(), renumbering);
    if (map.find(map.nextId() - 1).givenIds() > IDS_MAX) {
      throw new StorageException(
          StorageException.Reason.IDS_SPENT,
          lower
              + " was merged so often that the numbers of its records are used up; it can be split,"
              + " and a copy of the collection can be merged");
    }
    this.child =
        engine
            .all()
            .partition(collection.info().id(), map.find(map.nextId() - 1), collection::info);
  }

  /** Returns the number of the new partition. */
  public static int run(
      EngineParts engine,
      ChronicleCollection collection,
      int first,
      int second,
      Takeover.Pauses pauses) {
    collection.structureLock().lock();
    try {
      collection.requireExists();
      PhysicalPartition one = collection.require(first);
      PhysicalPartition other = collection.require(second);
      boolean isOrdered = one.range().maxExclusive().equals(other.range().minInclusive());
      var merge =
          new PartitionMerge(engine, collection, isOrdered ? one : other, isOrdered ? other : one);
      new Takeover(engine, collection, List.of(merge.lower, merge.upper), List.of(merge.child))
          .run(merge, pauses);
      return merge.child.id();
    } finally {
      collection.structureLock().unlock();
    }
  }

  private PartitionMap mapAfter(CollectionInfo info, Renumbering change) {
    long givenIds = Math.max(lowerIdMax, change.apply(upper.files().givenIds()));
    PartitionMap map = info.partitions();
    return map.merge(map.find(lower.id()), map.find(upper.id()), change, givenIds);
  }

  @Override
  public SplitMirror mirror(PhysicalPartition parent) {
    return parent == lower
        ? new SplitMirror(collection, List.of(child), null, lowerIdMax)
        : new SplitMirror(collection, List.of(child), renumbering, Long.MAX_VALUE);
  }

  @Override
  public CollectionInfo apply(CollectionInfo info) {
    long lsn = engine.log().lastLsn(); // nothing of the parents comes after it
    renumbering = new Renumbering(upper.range(), lsn, renumbering.above(), renumbering.shift());
    return info.withPartitions(mapAfter(info, renumbering))
        .withThroughput(
            ThroughputShares.merge(
                info.throughput(),
                info.partitions().size(),
                List.of(lower.id(), upper.id()),
                child.id()));
  }

  @Override
  public List<Successor> successors(PhysicalPartition parent) {
    Renumbering ids = parent == lower ? null : renumbering;
    return List.of(new Successor(child, ids, documentsIn(parent.range())));
  }

  private Predicate<RawDocument> documentsIn(EpkRange range) {
    return document -> range.contains(collection.keys().of(document).epk());
  }
}
