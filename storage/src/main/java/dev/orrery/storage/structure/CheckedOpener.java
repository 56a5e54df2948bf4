package dev.orrery.storage.structure;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.keyindex.KeyIndex;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the structures of a partition, and makes those anew that cannot be trusted: a bad checksum,
 * older than at the last checkpoint (a lost file, an old copy), newer than the log, another's, or
 * not what the others say. Each would silently be empty or wrong otherwise.
 */
public final class CheckedOpener implements PartitionFiles.Opener {
  private static final Logger LOGGER = LoggerFactory.getLogger(CheckedOpener.class);

  /** Older versions did not save a map without keys, so it is not known whether it had any. */
  private static final String NEVER_SAVED = "it was never saved";

  private final PartitionFiles.Source source;
  private final Path directory;
  private final Expected expected;
  private final PartitionRebuild rebuild;
  private final Consumer<String> rebuilt;

  /**
   * What is known of the structures before they are opened.
   *
   * @param saved how new each structure must at least be
   * @param allSaved whether each must have been saved
   * @param logEnd how new each may at most be
   * @param isReplayed whether nothing of the log will be replayed into them
   */
  public record Expected(
      Map<String, Long> saved, boolean allSaved, long logEnd, BooleanSupplier isReplayed) {
    /** Whether the last save was by a version whose recovery could leave structures apart. */
    boolean isOld() {
      return !saved.containsKey(PartitionFiles.COMPARED);
    }

    /** Whether every structure that was saved says whose it is. */
    boolean isOwned() {
      return saved.containsKey(PartitionFiles.OWNED);
    }
  }

  /**
   * @param rebuilt is told of each structure that was made anew
   */
  public CheckedOpener(
      PartitionFiles.Source source,
      Path directory,
      Expected expected,
      PartitionRebuild rebuild,
      Consumer<String> rebuilt) {
    this.source = source;
    this.directory = directory;
    this.expected = expected;
    this.rebuild = rebuild;
    this.rebuilt = rebuilt;
  }

  @Override
  public PartitionFiles open() {
    var reasons = new TreeMap<String, String>();
    PartitionFiles files = source.open(Set.of(), reasons);
    try {
      addOutdated(files, reasons);
      files = reasons.isEmpty() ? files : renew(files, reasons);
      Map<String, String> faults = expected.isReplayed().getAsBoolean() ? compare(files) : Map.of();
      return faults.isEmpty() ? files : renew(files, faults);
    } catch (RuntimeException | Error e) {
      files.close();
      throw e;
    }
  }

  private void addOutdated(PartitionFiles files, Map<String, String> reasons) {
    files
        .stamps()
        .forEach( // an index that was saved may have been dropped since
            (name, lsn) -> {
              if (lsn < expected.saved().getOrDefault(name, KeyIndex.NEVER)) {
                reasons.putIfAbsent(name, "it is lost, or older than at the last checkpoint");
              }
            });
    if (files.slots().lsn() > 0 || expected.allSaved()) { // these are saved last
      boolean isKnownOld = expected.isOld() && !expected.saved().isEmpty();
      for (String name : files.unsaved()) {
        boolean isNew = !expected.saved().isEmpty() && isLater(name);
        reasons.putIfAbsent(name, isKnownOld || isNew ? NEVER_SAVED : "it is lost");
      }
    }
    if (expected.isOwned()) {
      files.unowned().forEach(name -> reasons.putIfAbsent(name, "it does not say whose it is"));
    }
    files
        .newerThan(expected.logEnd())
        .forEach(name -> reasons.putIfAbsent(name, "it is newer than the log"));
  }

  /** Whether stores of older versions had no such structure, and this one's had none. */
  private boolean isLater(String name) {
    return name.equals(PartitionFiles.KEY_INDEX) && !expected.saved().containsKey(name);
  }

  @Override
  public Map<String, String> compare(PartitionFiles files) {
    return rebuild.compare(files, expected.isOld() || !expected.isOwned());
  }

  @Override
  public PartitionFiles renew(PartitionFiles old, Map<String, String> reasons) {
    try {
      rebuild.requirePossible(reasons.keySet()); // before anything is deleted
      old.close();
      PartitionFiles files = source.open(reasons.keySet(), new TreeMap<>());
      try {
        rebuild.run(files, reasons.keySet());
      } catch (RuntimeException | Error e) {
        files.close();
        throw e;
      }
      reasons.forEach(this::say);
      return files;
    } catch (StorageException e) {
      String what = rebuild + " (" + directory + ") cannot be opened: " + reasons;
      String advice =
          e.reason() == StorageException.Reason.CORRUPT && !e.getMessage().contains(Advice.DAMAGED)
              ? Advice.DAMAGED
              : "";
      throw new StorageException(e.reason(), what + "; " + e.getMessage() + advice, e);
    }
  }

  private void say(String name, String reason) {
    String what =
        "%s: %s was made anew from the log: %s".formatted(rebuild, directory.resolve(name), reason);
    if (reason.equals(NEVER_SAVED)) {
      LOGGER.info(what);
    } else {
      rebuilt.accept(what);
    }
  }

  @Override
  public void delete() {
    source.delete();
  }

  @Override
  public Map<String, Long> savedStamps() {
    return expected.saved();
  }
}
