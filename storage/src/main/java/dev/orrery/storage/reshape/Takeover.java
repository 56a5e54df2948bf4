package dev.orrery.storage.reshape;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.physical.AllLocks;
import dev.orrery.storage.physical.Checkpointer;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.physical.PartitionWalk;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.physical.SplitMirror;
import dev.orrery.storage.physical.Successor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets new partitions take the place of old ones, while clients read and write. Documents stay
 * where they are in the log; the children get indexes of their own over them.
 */
public final class Takeover {
  /*
   * From the start every commit to a parent is mirrored to the child that owns its key, if the child
   * has the record already. Meanwhile the parents' records are copied upward, some at a time, under
   * the parent's lock. When all are copied the children are saved, one catalog record makes them the
   * owners, and the parents retire. A crash before that record leaves the parents, after it the
   * children; what a child misses since it was saved is in the log.
   *
   * Between its last save and the record there must be no checkpoint, which would let recovery begin
   * after that save. So that checkpoints do not wait long, a child is saved twice: first all of it,
   * with pauses, then what changed meanwhile.
   *
   * A child is saved under the locks of its parents: a commit appends to the log first and reaches the
   * child later, and only those locks tell that the child has everything that the log has.
   */
  private static final Logger LOGGER = LoggerFactory.getLogger(Takeover.class);

  /** After how many the children's pages, which wait in memory until then, go to disk. */
  private static final long SAVE_RECORDS = 1 << 17;

  private final EngineParts engine;
  private final ChronicleCollection collection;
  private final List<PhysicalPartition> parents;
  private final List<PhysicalPartition> children;
  private final Lock writers;
  private long copied;
  private double done;

  public Takeover(
      EngineParts engine,
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
  public interface Change {
    /** How the children follow one of the parents. */
    SplitMirror mirror(PhysicalPartition parent);

    /** The collection with its new partitions; called when the parents can no longer change. */
    CollectionInfo apply(CollectionInfo present);

    /** What to do with a document that cannot be read: throw, or do without it. */
    default void passOver(PhysicalPartition parent, long recordId, StorageException failure) {
      throw failure;
    }

    /** Who takes over from one of the parents; called after {@link #apply}. */
    List<Successor> successors(PhysicalPartition parent);
  }

  /** Work goes slice by slice, and between two of them is time for others. */
  public interface Pauses {
    /**
     * Called without any lock; may wait, and what it throws ends the work.
     *
     * @param done how much of the copying is done, from 0 to 1
     */
    void pause(double done);
  }

  public void run(Change change, Pauses pauses) {
    boolean isDone = false;
    engine.requireRoom();
    try {
      for (PhysicalPartition parent : parents) {
        SplitMirror mirror = change.mirror(parent);
        Collections.locked(parent, () -> parent.mirrorTo(mirror));
      }
      long start = System.nanoTime();
      copyAll(
          change,
          share -> {
            engine.requireOpen();
            engine.requireRoom();
            pauses.pause(share);
          });
      LOGGER.info("{} records of {} copied in {} ms", copied, parents, millisSince(start));
      long lsn = engine.exclusively(() -> handOver(change));
      isDone = true;
      tell(System.nanoTime() - start);
      // The parents' files may only go when the log surely says that they are no more.
      engine.log().awaitDurable(lsn);
      engine
          .points()
          .whenPassed(
              lsn, () -> parents.forEach(parent -> Collections.locked(parent, parent::drop)));
    } finally {
      if (!isDone) {
        parents.forEach(parent -> Collections.locked(parent, () -> parent.mirrorTo(null)));
        children.forEach(child -> Collections.locked(child, child::drop));
      }
    }
  }

  private void tell(long nanos) {
    engine
        .observer()
        .repartitioned(
            new StorageObserver.Repartition(
                collection.info().namespace(),
                collection.info().uuid(),
                parents.stream().map(PhysicalPartition::id).toList(),
                children.stream().map(PhysicalPartition::id).toList(),
                nanos));
  }

  private void copyAll(Change change, Pauses pauses) {
    var checkpointer = new Checkpointer(engine.log(), () -> pauses.pause(done));
    long saved = 0;
    for (int i = 0; i < parents.size(); i++) {
      PhysicalPartition parent = parents.get(i);
      var walk = new PartitionWalk(parent);
      while (walk.slice(() -> requireThere(parent), id -> copy(change, parent, id))) {
        done = (i + walk.done()) / parents.size();
        pauses.pause(done);
        if (copied - saved >= SAVE_RECORDS) {
          children.forEach(child -> checkpointer.savePages(child, writers));
          saved = copied;
        }
      }
    }
    children.forEach(child -> checkpointer.save(child, writers));
  }

  private void copy(Change change, PhysicalPartition parent, long recordId) {
    StoredDocument document;
    try {
      document = parent.readNow(recordId, new WorkMeter());
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.CORRUPT) {
        throw e;
      }
      change.passOver(parent, recordId, e);
      return;
    }
    parent.mirror().copy(document);
    copied++;
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  private static void requireThere(PhysicalPartition parent) {
    if (parent.isDropped()) {
      throw parent.gone();
    }
    parent.requireHealthy(); // else the children may lack the write that failed
    if (parent.mirror().isOverrun()) {
      throw new StorageException(
          StorageException.Reason.UNAVAILABLE, parent + " took too many writes to be merged");
    }
  }

  private long handOver(Change change) {
    var checkpointer = new Checkpointer(engine.log());
    children.forEach(child -> checkpointer.save(child, writers));
    engine.catalog().lock().lock();
    writers.lock();
    long start = System.nanoTime();
    try {
      parents.forEach(Takeover::requireThere);
      CollectionInfo info = change.apply(collection.info());
      long lsn = engine.catalog().repartition(collection, info, owners(info.partitions()));
      for (PhysicalPartition child : children) {
        child.files().giveIds(info.partitions().find(child.id()).givenIds());
      }
      parents.forEach(parent -> parent.retire(change.successors(parent)));
      return lsn;
    } finally {
      long nanos = System.nanoTime() - start;
      writers.unlock();
      LOGGER.info("writers of {} were kept out for {} us", parents, nanos / 1000);
      engine.catalog().lock().unlock();
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
