package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.index.SlotFile;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Opens the structures of one partition one by one, and reads every byte of them: what is damaged
 * is found here, where it can be made anew, and not by a request that needs it.
 */
final class StructureOpening {
  private final Path directory;
  private final PageFilePool pool;
  private final boolean isDurable;
  private final Set<String> discarded;
  private final Map<String, String> damage;

  /**
   * @param discarded the names of structures that shall be empty, whatever there is; a page file
   *     goes when another takes its place
   * @param damage gets the name of each structure that is damaged, and what is wrong with it
   */
  StructureOpening(
      Path directory,
      PageFilePool pool,
      boolean isDurable,
      Set<String> discarded,
      Map<String, String> damage) {
    this.directory = directory;
    this.pool = pool;
    this.isDurable = isDurable;
    this.discarded = discarded;
    this.damage = damage;
  }

  SlotFile slots(String name) {
    Path path = directory.resolve(name);
    return open(
        name,
        () -> checked(SlotFile.open(path, pool, isDurable), SlotFile::verifyPages),
        () -> SlotFile.openEmpty(path, pool, isDurable));
  }

  BTree tree(String name) {
    Path path = directory.resolve(name);
    return open(
        name,
        () -> checked(BTree.open(path, pool, isDurable), BTree::verifyPages),
        () -> BTree.openEmpty(path, pool, isDurable));
  }

  KeyIndex map(String name, KeyIndexOptions options) {
    Path path = directory.resolve(name);
    if (discarded.contains(name)) {
      KeyIndex.openEmpty(path, options).delete();
      return KeyIndex.open(path, options);
    }
    return open(
        name,
        () -> checked(KeyIndex.open(path, options), KeyIndex::verify),
        () -> KeyIndex.openEmpty(path, options));
  }

  private <T> T open(String name, Supplier<T> open, Supplier<T> openEmpty) {
    if (discarded.contains(name)) {
      return openEmpty.get();
    }
    try {
      return open.get();
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.CORRUPT) {
        throw e;
      }
      damage.put(name, e.getMessage());
      return openEmpty.get();
    }
  }

  private static <T extends AutoCloseable> T checked(T structure, Consumer<T> verify) {
    try {
      verify.accept(structure);
      return structure;
    } catch (RuntimeException e) {
      close(structure, e);
      throw e;
    }
  }

  private static void close(AutoCloseable structure, RuntimeException cause) {
    try {
      structure.close();
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }
}
