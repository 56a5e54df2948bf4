package dev.orrery.storage.chronicle;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
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
   * this has to make anew counts as a fault, although it is none any more.
   */

  private final Path directory;
  private final StorageHooks hooks;
  private final Consumer<String> progress;
  private final List<String> faults = new ArrayList<>();

  /**
   * @param progress gets a line for each thing that was checked
   */
  public StoreCheck(Path directory, StorageHooks hooks, Consumer<String> progress) {
    this.directory = directory;
    this.hooks = hooks;
    this.progress = progress;
  }

  /**
   * One line for each fault, with file and offset where there is one; empty when all is well.
   *
   * @throws StorageException UNUSABLE when the store is in use, or was written by a newer version
   */
  public List<String> run() {
    Path log = directory.resolve("log");
    if (!Files.isDirectory(log)) {
      return List.of(directory + " holds no store: there is no " + log);
    }
    try {
      new LogCheck(log, progress).run();
      checkStructures();
    } catch (StorageException e) {
      if (e.reason() == StorageException.Reason.UNUSABLE) {
        throw e;
      }
      faults.add(e.getMessage());
    }
    return faults;
  }

  private void checkStructures() {
    var options =
        EngineOptions.defaults()
            .with(new EngineOptions.Checkpoints(Long.MAX_VALUE, Long.MAX_VALUE))
            .with(new EngineOptions.Limits(Long.MAX_VALUE, Long.MAX_VALUE))
            .with(new EngineOptions.Compacting(Long.MAX_VALUE)); // nothing in the background
    try (var engine = ChronicleEngine.open(directory, options, hooks)) {
      if (engine.replayedGroups() > 0) {
        progress.accept(
            "not stopped cleanly: recovery replayed " + engine.replayedGroups() + " groups");
      }
      for (CollectionStore collection : engine.collections()) {
        check(engine, collection);
      }
      faults.addAll(engine.rebuilt());
    }
  }

  private void check(ChronicleEngine engine, CollectionStore collection) {
    List<String> found;
    try {
      found = engine.validate(collection);
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
