package dev.orrery.storage.engine;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.log.LogCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Verifies a store that nobody has open: every byte of the log, every page and image of every
 * structure, and all references between them.
 */
public final class StoreCheck {
  /*
   * The log is read first, without changing it: if it is damaged, nothing else is touched. Then the
   * store is opened, which after a crash means recovery, as every start would do it. A structure that
   * this has to make anew counts as a fault, although it is none any more, unless a repair was asked for.
   */

  private final Path directory;
  private final StorageHooks hooks;
  private final Consumer<String> progress;
  private final boolean isRepairing;
  private final List<String> faults = new ArrayList<>();

  /** A check that repairs nothing. */
  public StoreCheck(Path directory, StorageHooks hooks, Consumer<String> progress) {
    this(directory, hooks, progress, false);
  }

  /**
   * @param progress gets a line for each thing that was checked or repaired
   * @param isRepairing whether to make anew what disagrees with the documents
   */
  public StoreCheck(
      Path directory, StorageHooks hooks, Consumer<String> progress, boolean isRepairing) {
    this.directory = directory;
    this.hooks = hooks;
    this.progress = progress;
    this.isRepairing = isRepairing;
  }

  /**
   * One line for each fault, with file and offset where there is one; empty when all is well. What
   * was repaired is no fault any more.
   *
   * @throws StorageException UNUSABLE when the store is in use, or was written by a newer version
   */
  public List<String> run() {
    Path log = directory.resolve("log");
    if (!Files.isDirectory(log)) {
      return List.of(directory + " holds no store: there is no " + log);
    }
    try {
      if (isRepairing && isDamaged(log)) {
        checkStructures();
      }
      new LogCheck(log, progress).run();
      checkStructures();
    } catch (StorageException e) {
      if (e.reason() == StorageException.Reason.UNUSABLE) {
        throw e;
      }
      boolean isFull = e.reason() == StorageException.Reason.DISK_FULL;
      faults.add(isFull ? "not everything was checked: " + e.getMessage() : e.getMessage());
    }
    return faults;
  }

  /**
   * Whether a repair must look first which documents are gone. When they have been given up, and
   * the rest has moved, the damaged part of the log can go.
   */
  private boolean isDamaged(Path log) {
    try {
      new LogCheck(log, line -> {}).run();
      return false;
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.CORRUPT) {
        throw e;
      }
      progress.accept("damaged: " + e.getMessage());
      return true;
    }
  }

  private void checkStructures() {
    var options =
        EngineOptions.defaults()
            .with(new EngineOptions.Checkpoints(Long.MAX_VALUE, Long.MAX_VALUE))
            .with(new EngineOptions.Limits(Long.MAX_VALUE, Long.MAX_VALUE))
            .with(new EngineOptions.Compacting(Long.MAX_VALUE)); // nothing in the background
    var engine = ChronicleEngine.open(directory, options, hooks);
    try {
      if (engine.replayedGroups() > 0) {
        progress.accept(
            "not stopped cleanly: recovery replayed " + engine.replayedGroups() + " groups");
      }
      for (CollectionStore collection : engine.collections()) {
        check(engine, collection);
      }
      List<String> rebuilt = engine.rebuilt();
      if (isRepairing) {
        engine.parts().log().damagedSegments().forEach(engine.parts()::givenUp);
        engine.compact(); // what can be read moves out of them, and those that are empty go
        rebuilt.forEach(what -> progress.accept("repaired: " + what));
      } else {
        faults.addAll(rebuilt);
      }
    } finally {
      close(engine);
    }
  }

  /**
   * What recovery did need not be saved: the log has it, and a full disk is no fault of a store.
   */
  private void close(ChronicleEngine engine) {
    try {
      engine.close();
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.DISK_FULL) {
        throw e;
      }
      progress.accept("nothing was saved: " + e.getMessage());
    }
  }

  /** Returns what could not be repaired. */
  private List<String> repair(ChronicleEngine engine, CollectionStore collection) {
    RepairResult result = engine.repair(collection, () -> {});
    if (result.isRepaired()) {
      String name = collection.info().namespace().toString();
      result.found().forEach(fault -> progress.accept("repaired: " + name + ": " + fault));
    }
    result.givenUp().forEach(one -> progress.accept("given up: " + one.what()));
    return result.remaining();
  }

  private void check(ChronicleEngine engine, CollectionStore collection) {
    List<String> found;
    try {
      found = isRepairing ? repair(engine, collection) : engine.validate(collection);
    } catch (StorageException e) {
      found = List.of(e.getMessage());
    }
    String name = collection.info().namespace().toString();
    found.forEach(fault -> faults.add(name + ": " + fault));
    if (found.isEmpty()) {
      long documents = 0;
      for (PartitionStore partition : collection.partitions()) {
        PartitionStatistics statistics = partition.statistics();
        documents += statistics.documents();
      }
      progress.accept(
          name
              + ": "
              + documents
              + " documents, "
              + collection.partitions().size()
              + " partitions, "
              + collection.info().indexes().size()
              + " indexes");
    }
  }
}
