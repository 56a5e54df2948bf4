package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.partition.PartitionMap;
import java.util.ArrayList;
import java.util.List;

/**
 * Divides a partition in two at a key, while clients read and write. Documents stay where they are
 * in the log; the children get indexes of their own over them, under the same record ids.
 */
final class PartitionSplit {
  /*
   * From the start every commit to the parent is mirrored to the child that owns its key, if the child
   * has the record already. Meanwhile the parent's records are copied upward, some at a time, under
   * the parent's lock. When all are copied the children are saved, one catalog record makes them the
   * owners, and the parent retires. A crash before that record leaves the parent, after it the
   * children; what a child misses since it was saved is in the log.
   */
  private static final int BATCH_DOCUMENTS = 64;

  private final ChronicleEngine engine;
  private final ChronicleCollection collection;

  PartitionSplit(ChronicleEngine engine, ChronicleCollection collection) {
    this.engine = engine;
    this.collection = collection;
  }

  void run(int partitionId, String boundary) {
    collection.structureLock().lock();
    try {
      PhysicalPartition parent = find(partitionId);
      if (!parent.range().contains(boundary) || boundary.equals(parent.range().minInclusive())) {
        throw new IllegalArgumentException(boundary + " does not divide " + parent.range());
      }
      split(parent, boundary);
    } finally {
      collection.structureLock().unlock();
    }
  }

  private PhysicalPartition find(int partitionId) {
    for (PhysicalPartition partition : collection.physicalPartitions()) {
      if (partition.id() == partitionId) {
        return partition;
      }
    }
    throw new StorageException(
        StorageException.Reason.GONE, "there is no partition " + partitionId);
  }

  private void split(PhysicalPartition parent, String boundary) {
    PartitionMap map = collection.info().partitions().split(parent.id(), boundary);
    List<PhysicalPartition> children = new ArrayList<>();
    for (PartitionMap.Entry entry : map.entries()) {
      if (entry.id() >= map.nextId() - 2) {
        children.add(engine.all().partition(collection.info().id(), entry, collection::info));
      }
    }
    boolean isDone = false;
    try {
      var mirror = new SplitMirror(collection, children);
      Collections.locked(parent, () -> parent.mirrorTo(mirror));
      copy(parent, mirror);
      long lsn = engine.exclusively(() -> handOver(parent, children, boundary));
      isDone = true;
      // The parent's files may only go when the log surely says that it is no more.
      engine.log().awaitDurable(lsn);
      Collections.locked(parent, parent::drop);
    } finally {
      if (!isDone) {
        Collections.locked(parent, () -> parent.mirrorTo(null));
        children.forEach(child -> Collections.locked(child, child::drop));
      }
    }
  }

  private static void copy(PhysicalPartition parent, SplitMirror mirror) {
    long[] ids = new long[BATCH_DOCUMENTS];
    long[] positions = new long[BATCH_DOCUMENTS];
    long from = 1;
    int count;
    do {
      parent.lock.lock();
      try {
        if (parent.isDropped()) {
          throw new StorageException(StorageException.Reason.GONE, parent + " was dropped");
        }
        count = parent.files().slots().scanUp(from, ids, positions);
        for (int i = 0; i < count; i++) {
          StoredDocument document = parent.read(ids[i], new WorkMeter());
          mirror.copy(document);
          from = ids[i] + 1;
        }
      } finally {
        parent.lock.unlock();
      }
    } while (count > 0);
  }

  private long handOver(
      PhysicalPartition parent, List<PhysicalPartition> children, String boundary) {
    var checkpointer = new Checkpointer(engine.log());
    children.forEach(checkpointer::save);
    engine.ddl().lock();
    parent.lock.lock();
    try {
      if (parent.isDropped()) {
        throw new StorageException(StorageException.Reason.GONE, parent + " was dropped");
      }
      CollectionInfo info = collection.info();
      PartitionMap map = info.partitions().split(parent.id(), boundary);
      engine.repartition(collection, info.withPartitions(map), owners(map, children));
      parent.retire(children);
      return engine.log().lastLsn();
    } finally {
      parent.lock.unlock();
      engine.ddl().unlock();
    }
  }

  /** The partitions of the new map in its order. */
  private List<PhysicalPartition> owners(PartitionMap map, List<PhysicalPartition> children) {
    var all = new ArrayList<>(collection.physicalPartitions());
    all.addAll(children);
    var owners = new ArrayList<PhysicalPartition>();
    for (PartitionMap.Entry entry : map.entries()) {
      all.stream().filter(one -> one.id() == entry.id()).forEach(owners::add);
    }
    return owners;
  }
}
