package dev.orrery.storage.physical;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.View;
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
    this.points = points;
    this.point = points.open();
  }

  /** The last commit that is seen. */
  long lsn() {
    return point.lsn;
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
      throw new IllegalStateException("the view is closed");
    }
  }

  @Override
  public void close() {
    isClosed = true;
    points.close(point);
  }
}
