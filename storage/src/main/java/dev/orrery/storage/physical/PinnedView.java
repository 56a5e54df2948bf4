package dev.orrery.storage.physical;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.View;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The state at one point. */
public final class PinnedView implements View {
  private final ReadPoints points;
  private final ReadPoints.Point point;
  private final Map<PhysicalPartition, PinnedPartition> seen = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  public PinnedView(ReadPoints points) {
    this(points, points.open());
  }

  /** At a point that is closed with the view. */
  PinnedView(ReadPoints points, ReadPoints.Point point) {
    this.points = points;
    this.point = point;
  }

  /** The last commit that is seen. */
  public long lsn() {
    return point.lsn;
  }

  /** Whether the newest version of a record is seen. The partition's lock must be held. */
  public boolean isNewest(PhysicalPartition partition, long recordId) {
    long position = partition.files().slots().get(recordId);
    return position > 0 && partition.log().versionLsn(position) <= point.lsn;
  }

  @Override
  public boolean hasSame(Namespace namespace) {
    requireOpen();
    return points.isSame(namespace, point);
  }

  @Override
  public long time() {
    return point.time;
  }

  @Override
  public List<PartitionStore> partitions(CollectionStore collection) {
    return settled(collection).partitions().stream().<PartitionStore>map(this::pinned).toList();
  }

  @Override
  public PartitionStore partitionOf(CollectionStore collection, RawValue partitionKey) {
    var chronicle = (ChronicleCollection) collection;
    return pinned(settled(collection).route(chronicle.keys().epk(partitionKey)));
  }

  @Override
  public boolean has(CollectionStore collection, IndexSpec index) {
    return settled(collection).partitions().stream().allMatch(one -> pinned(one).has(index));
  }

  /** The partitions at the point, into which all commits up to it have come. */
  private ChronicleCollection.State settled(CollectionStore collection) {
    requireOpen();
    var chronicle = (ChronicleCollection) collection;
    chronicle.requireExists();
    for (; ; ) {
      ChronicleCollection.State state = chronicle.stateAt(point.lsn);
      state.partitions().forEach(this::await);
      if (chronicle.stateAt(point.lsn) == state) {
        return state;
      }
      // Before the point these were split, and others had not yet come into their place.
    }
  }

  /** What is on its way into a partition's structures holds its lock. */
  private void await(PhysicalPartition partition) {
    if (!seen.containsKey(partition)) {
      Lane.take(partition.lock);
      partition.lock.unlock();
    }
  }

  private PinnedPartition pinned(PhysicalPartition partition) {
    return seen.computeIfAbsent(partition, absent -> new PinnedPartition(this, partition));
  }

  void requireOpen() {
    if (point.isLost()) {
      throw new StorageException(
          StorageException.Reason.POINT_LOST,
          "what was kept for a read at an old point became too much");
    }
    if (isClosed) {
      throw new StorageException(
          StorageException.Reason.POINT_LOST, "what was read at a point is no longer kept");
    }
  }

  @Override
  public void close() {
    isClosed = true;
    points.close(point);
  }
}
