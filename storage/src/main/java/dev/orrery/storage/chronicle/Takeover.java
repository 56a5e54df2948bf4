package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.partition.PartitionMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Lock;

/**
 * Lets new partitions take the place of old ones, while clients read and write. Documents stay
 * where they are in the log; the children get indexes of their own over them.
 */
final class Takeover {
  /*
   * From the start every commit to a parent is mirrored to the child that owns its key, if the child
   * has the record already. Meanwhile the parents' records are copied upward, some at a time, under
   * the parent's lock. When all are copied the children are saved, one catalog record makes them the
   * owners, and the parents retire. A crash before that record leaves the parents, after it the
   * children; what a child misses since it was saved is in the log.
   *
   * A child is saved under the locks of its parents: a commit appends to the log first and reaches the
   * child later, and only those locks tell that the child has everything that the log has.
   */
  private static final int BATCH_DOCUMENTS = 64;

  private final ChronicleEngine engine;
  private final ChronicleCollection collection;
  private final List<PhysicalPartition> parents;
  private final List<PhysicalPartition> children;
  private final Lock writers;

  Takeover(
      ChronicleEngine engine,
      ChronicleCollection collection,
      List<PhysicalPartition> parents,
      List<PhysicalPartition> children) {
    this.engine = engine;
    this.collection = collection;
    this.parents = parents;
    this.children = children;
    // In the order in which a commit to several partitions takes them.
    this.writers =
        new AllLocks(
            parents.stream()
                .sorted(Comparator.comparingInt(PhysicalPartition::id))
                .map(parent -> parent.lock)
                .toList());
  }

  /** What a split does differently from a merge. */
  interface Change {
    /** How the children follow one of the parents. */
    SplitMirror mirror(PhysicalPartition parent);

    /** The collection with its new partitions; called when the parents can no longer change. */
    CollectionInfo apply(CollectionInfo present);

    /** Who takes over from one of the parents; called after {@link #apply}. */
    List<Successor> successors(PhysicalPartition parent);
  }

  void run(Change change) {
    boolean isDone = false;
    try {
      for (PhysicalPartition parent : parents) {
        SplitMirror mirror = change.mirror(parent);
        Collections.locked(parent, () -> parent.mirrorTo(mirror));
      }
      parents.forEach(Takeover::copy);
      long lsn = engine.exclusively(() -> handOver(change));
      isDone = true;
      // The parents' files may only go when the log surely says that they are no more.
      engine.log().awaitDurable(lsn);
      parents.forEach(parent -> Collections.locked(parent, parent::drop));
    } finally {
      if (!isDone) {
        parents.forEach(parent -> Collections.locked(parent, () -> parent.mirrorTo(null)));
        children.forEach(child -> Collections.locked(child, child::drop));
      }
    }
  }

  private static void copy(PhysicalPartition parent) {
    long[] ids = new long[BATCH_DOCUMENTS];
    long[] positions = new long[BATCH_DOCUMENTS];
    long from = 1;
    int count;
    do {
      parent.lock.lock();
      try {
        requireThere(parent);
        count = parent.files().slots().scanUp(from, ids, positions);
        for (int i = 0; i < count; i++) {
          StoredDocument document = parent.read(ids[i], new WorkMeter());
          parent.mirror().copy(document);
          from = ids[i] + 1;
        }
      } finally {
        parent.lock.unlock();
      }
      parent.letOthersIn();
    } while (count > 0);
  }

  private static void requireThere(PhysicalPartition parent) {
    if (parent.isDropped()) {
      throw new StorageException(StorageException.Reason.GONE, parent + " was dropped");
    }
    if (parent.mirror().isOverrun()) {
      throw new StorageException(
          StorageException.Reason.UNAVAILABLE, parent + " took too many writes to be merged");
    }
  }

  private long handOver(Change change) {
    var checkpointer = new Checkpointer(engine.log());
    children.forEach(child -> checkpointer.save(child, writers));
    engine.ddl().lock();
    writers.lock();
    try {
      parents.forEach(Takeover::requireThere);
      CollectionInfo info = change.apply(collection.info());
      engine.repartition(collection, info, owners(info.partitions()));
      for (PhysicalPartition child : children) {
        child.files().giveIds(info.partitions().find(child.id()).givenIds());
      }
      parents.forEach(parent -> parent.retire(change.successors(parent)));
      return engine.log().lastLsn();
    } finally {
      writers.unlock();
      engine.ddl().unlock();
    }
  }

  /** The partitions of the new map in its order. */
  private List<PhysicalPartition> owners(PartitionMap map) {
    var all = new ArrayList<>(collection.physicalPartitions());
    all.addAll(children);
    var owners = new ArrayList<PhysicalPartition>();
    for (PartitionMap.Entry entry : map.entries()) {
      all.stream().filter(one -> one.id() == entry.id()).forEach(owners::add);
    }
    return owners;
  }
}
