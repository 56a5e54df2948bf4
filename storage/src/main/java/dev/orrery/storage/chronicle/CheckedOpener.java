package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the structures of a partition and compares their age with the last checkpoint: one that is
 * older than that, because its file was lost or is an old copy, would silently be empty or wrong.
 * Such a structure is made anew.
 */
final class CheckedOpener implements PartitionFiles.Opener {
  private static final Logger LOGGER = LoggerFactory.getLogger(CheckedOpener.class);

  private final PartitionFiles.Opener opener;
  private final Path directory;
  private final Map<String, Long> saved;
  private final PartitionRebuild rebuild;
  private final Consumer<String> rebuilt;

  /**
   * @param saved how new each structure must at least be
   * @param rebuilt is told of each structure that was made anew
   */
  CheckedOpener(
      PartitionFiles.Opener opener,
      Path directory,
      Map<String, Long> saved,
      PartitionRebuild rebuild,
      Consumer<String> rebuilt) {
    this.opener = opener;
    this.directory = directory;
    this.saved = saved;
    this.rebuild = rebuild;
    this.rebuilt = rebuilt;
  }

  @Override
  public PartitionFiles open() {
    PartitionFiles files = opener.open();
    Set<String> lost = older(files.stamps());
    return lost.isEmpty() ? files : rebuild(files, lost);
  }

  private Set<String> older(Map<String, Long> found) {
    var older = new TreeSet<String>();
    found.forEach( // an index that was saved may have been dropped since
        (name, lsn) -> {
          if (lsn < saved.getOrDefault(name, KeyIndex.NEVER)) {
            older.add(name);
          }
        });
    return older;
  }

  private PartitionFiles rebuild(PartitionFiles old, Set<String> lost) {
    old.deleteStructures(lost);
    old.close();
    PartitionFiles files = opener.open();
    try {
      rebuild.run(files, lost);
    } catch (StorageException e) {
      files.close();
      String names = directory + " has lost " + String.join(", ", lost);
      throw new StorageException(e.reason(), names + ": " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      files.close();
      throw e;
    }
    for (String name : lost) {
      String what = directory.resolve(name) + " was lost or out of date, and was made anew";
      LOGGER.warn(what);
      rebuilt.accept(what);
    }
    return files;
  }

  @Override
  public void delete() {
    opener.delete();
  }

  @Override
  public Map<String, Long> savedStamps() {
    return saved;
  }
}
