package dev.orrery.storage.physical;

import dev.orrery.storage.index.PendingCheckpoint;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.keyindex.KeyIndexCheckpoint;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** Writes the structures of partitions to disk, so that recovery needs only the log's tail. */
public final class Checkpointer {
  /*
   * A structure on disk may be older than the log but never newer: after a power cut the log would
   * lack what the structure claims. So a structure is frozen under the partition's lock, the log is
   * made durable up to that moment, and only then the structure is published.
   *
   * Each structure is saved at its own moment, and the process may die between any two. Recovery
   * replays from the oldest, into each what it lacks. The slots come last: where they were saved, every
   * other structure was saved at least once, and one that has no file has lost it.
   */

  private final Log log;
  private final Runnable pause;

  public Checkpointer(Log log) {
    this(log, () -> {});
  }

  /**
   * @param pause called now and then, without any lock; may wait, and what it throws ends a save
   */
  public Checkpointer(Log log, Runnable pause) {
    this.log = log;
    this.pause = pause;
  }

  /** Saves all structures of a partition; a partition that was dropped meanwhile is passed over. */
  public void save(PhysicalPartition partition) {
    save(partition, partition.lock);
  }

  /**
   * The same for a partition that does not serve yet.
   *
   * @param writers keeps out everybody who writes to the log what the partition must have
   */
  public void save(PhysicalPartition partition, Lock writers) {
    if (!partition.tryEnter()) {
      return;
    }
    try {
      PartitionFiles files = partition.files();
      saveMap(partition, files.ids(), writers);
      if (files.sizes() != null) {
        saveMap(partition, files.sizes(), writers);
      }
      for (OrderedIndex index : files.indexes()) {
        if (index.unique() != null && index.tryEnter()) {
          try {
            saveMap(partition, index.unique(), writers);
          } finally {
            index.leave();
          }
        }
      }
      savePages(partition, files, writers);
    } finally {
      partition.leave();
    }
  }

  /** Of a partition that does not serve yet, only what is kept in memory until it is saved. */
  public void savePages(PhysicalPartition partition, Lock writers) {
    if (partition.tryEnter()) {
      try {
        savePages(partition, partition.files(), writers);
      } finally {
        partition.leave();
      }
    }
  }

  private void savePages(PhysicalPartition partition, PartitionFiles files, Lock writers) {
    var frozen = new ArrayList<PendingCheckpoint>();
    var entered = new ArrayList<OrderedIndex>();
    try {
      writers.lock();
      long lsn;
      try {
        partition.requireHealthy(); // a restart must find the change that failed not yet saved
        lsn = log.lastLsn();
        frozen.add(files.slots().prepareCheckpoint(lsn));
        for (OrderedIndex index : files.indexes()) {
          if (index.tryEnter()) {
            entered.add(index);
            frozen.add(index.tree().prepareCheckpoint(lsn));
          }
        }
      } finally {
        writers.unlock();
      }
      log.awaitDurable(lsn);
      completeAll(frozen);
    } finally {
      frozen.forEach(PendingCheckpoint::abandon);
      entered.forEach(OrderedIndex::leave);
    }
  }

  /** The slots, which are the first, at last. What is frozen must be completed or abandoned. */
  private void completeAll(List<PendingCheckpoint> frozen) {
    while (!frozen.isEmpty()) {
      frozen.remove(frozen.size() - 1).complete();
      pause.run();
    }
  }

  private void saveMap(PhysicalPartition partition, KeyIndex map, Lock writers) {
    map.checkpoint(
        writers,
        new KeyIndexCheckpoint.Steps(
            () -> {
              partition.requireHealthy();
              return log.lastLsn();
            },
            log::awaitDurable,
            pause));
  }
}
