package dev.orrery.storage.recovery;

import dev.orrery.storage.Advice;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.ThroughputShares;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.physical.SplitMirror;
import dev.orrery.storage.physical.Successor;
import dev.orrery.storage.reshape.EngineParts;
import dev.orrery.storage.reshape.Takeover;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mends the structures of a collection from its documents while it serves. */
public final class CollectionRepair {
  /*
   * A partition with a fault is replaced by a new one with the same range, in the way of a split with
   * one child: slots, maps and indexes are all made anew from the documents in the log, cursors go
   * on in the new one, and a crash leaves the one or the other. What only the old slots know, which
   * records there are, is taken from them; if those cannot be read there is nothing to copy from,
   * and the next start makes them from the log.
   *
   * A document that cannot be read is not copied, and so it is no more, in any structure. Should the
   * process die before the new partition serves, it is still there, and as unreadable as before.
   */
  private static final Logger LOGGER = LoggerFactory.getLogger(CollectionRepair.class);

  private final EngineParts engine;
  private final ChronicleCollection collection;
  private final List<RepairResult.GivenUp> givenUp = new ArrayList<>();
  private final List<Long> damagedSegments = new ArrayList<>();

  public CollectionRepair(EngineParts engine, ChronicleCollection collection) {
    this.engine = engine;
    this.collection = collection;
  }

  public RepairResult run(Runnable pause) {
    RepairResult result = repair(pause);
    if (!result.found().isEmpty()) {
      engine.checkpoint(); // from now on it is known how new the files are
    }
    return result;
  }

  private RepairResult repair(Runnable pause) {
    collection.structureLock().lock();
    try {
      var before = new Validation(engine.log());
      var remaining = new ArrayList<String>();
      for (PhysicalPartition partition : collection.physicalPartitions()) {
        pause.run();
        int strays = before.strays();
        if (before.isSound(collection, partition)) {
          continue;
        }
        if (before.strays() > strays) {
          remaining.add(
              partition
                  + " was not repaired: it has documents of other partitions; export the"
                  + " collection, and import it under another name");
        } else {
          remaining.addAll(renew(partition, pause));
        }
      }
      return new RepairResult(
          before.faults(), remaining, before.missingEntries(), before.extraEntries(), givenUp);
    } finally {
      collection.structureLock().unlock();
    }
  }

  /** Returns what is still wrong. */
  private List<String> renew(PhysicalPartition parent, Runnable pause) {
    int before = givenUp.size();
    try {
      parent.requireHealthy();
      PhysicalPartition child = child(parent);
      new Takeover(engine, collection, List.of(parent), List.of(child))
          .run(change(parent, child), done -> pause.run());
      LOGGER.warn("the structures of {} were made anew as {}", parent, child);
      givenUp.subList(before, givenUp.size()).forEach(one -> LOGGER.warn("given up: {}", one));
      damagedSegments.forEach(engine::givenUp);
      var after = new Validation(engine.log());
      after.isSound(collection, child);
      return after.faults();
    } catch (StorageException e) {
      givenUp.subList(before, givenUp.size()).clear(); // the old partition serves on, with them
      if (e.reason() == StorageException.Reason.CORRUPT
          || e.reason() == StorageException.Reason.UNAVAILABLE) {
        return List.of(parent + " was not repaired: " + e.getMessage());
      }
      throw e;
    }
  }

  private PhysicalPartition child(PhysicalPartition parent) {
    PartitionMap map = collection.info().partitions().renew(parent.id(), 0);
    return engine
        .all()
        .partition(collection.info().id(), map.find(map.nextId() - 1), collection::info);
  }

  private Takeover.Change change(PhysicalPartition parent, PhysicalPartition child) {
    return new Takeover.Change() {
      @Override
      public SplitMirror mirror(PhysicalPartition ignored) {
        return new SplitMirror(collection, List.of(child));
      }

      @Override
      public CollectionInfo apply(CollectionInfo info) {
        PartitionMap map = info.partitions().renew(parent.id(), parent.files().givenIds());
        return info.withPartitions(map)
            .withThroughput(
                ThroughputShares.split(info.throughput(), parent.id(), List.of(child.id())));
      }

      @Override
      public void passOver(PhysicalPartition ignored, long recordId, StorageException failure) {
        damagedSegments.add(Log.segmentOf(parent.files().slots().get(recordId)));
        givenUp.add(new RepairResult.GivenUp(recordId, describe(parent, recordId, failure)));
      }

      @Override
      public List<Successor> successors(PhysicalPartition ignored) {
        return List.of(Successor.ofSplit(child));
      }
    };
  }

  /** Names the document by its key, which the ids know even if it cannot be read. */
  private String describe(PhysicalPartition parent, long recordId, StorageException failure) {
    var name = new StringBuilder("record " + recordId + " of " + parent);
    parent
        .files()
        .ids()
        .forEach(
            (key, holder, unused) -> {
              if (holder == recordId) {
                name.append(", ").append(collection.keys().describe(key));
              }
            });
    return name.append(": ").append(failure.getMessage().replace(Advice.GIVE_UP, "")).toString();
  }
}
