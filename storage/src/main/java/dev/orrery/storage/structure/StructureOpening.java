package dev.orrery.storage.structure;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.FileOwner;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.keyindex.KeyIndexOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Opens the structures of one partition one by one, and reads every byte of them: what is damaged,
 * cannot be read or is another's is found here, where it can be made anew, and not by a request
 * that needs it.
 */
final class StructureOpening {
  /** The server's own want, or that of its surroundings: the file may well be as it should be. */
  private static final List<String> WANTS =
      List.of(
          "Too many open files",
          "Cannot allocate memory",
          "Map failed",
          "Read-only file system",
          "Operation not permitted");

  private final Place place;
  private final Set<String> discarded;
  private final Map<String, String> damage;

  /**
   * Where the structures are, and whose.
   *
   * @param owner the partition's
   */
  record Place(Path directory, FileOwner owner, PageFilePool pool, boolean isDurable) {}

  /**
   * @param discarded the names of structures that shall be empty, whatever there is; a page file
   *     goes when another takes its place
   * @param damage gets the name of each structure that is damaged, and what is wrong with it
   */
  StructureOpening(Place place, Set<String> discarded, Map<String, String> damage) {
    this.place = place;
    this.discarded = discarded;
    this.damage = damage;
  }

  SlotFile slots(String name) {
    Path path = path(name);
    FileOwner owner = place.owner.of(FileOwner.Kind.SLOTS, 0);
    return open(
        name,
        () ->
            checked(SlotFile.open(path, owner, place.pool, place.isDurable), SlotFile::verifyPages),
        () -> SlotFile.openEmpty(path, owner, place.pool, place.isDurable));
  }

  BTree tree(String name, int index) {
    Path path = path(name);
    FileOwner owner = place.owner.of(FileOwner.Kind.TREE, index);
    return open(
        name,
        () -> checked(BTree.open(path, owner, place.pool, place.isDurable), BTree::verifyPages),
        () -> BTree.openEmpty(path, owner, place.pool, place.isDurable));
  }

  KeyIndex ids(KeyIndexOptions options) {
    return map(PartitionFiles.IDS, FileOwner.Kind.IDS, 0, options);
  }

  KeyIndex sizes(KeyIndexOptions options) {
    return map(PartitionFiles.SIZES, FileOwner.Kind.SIZES, 0, options);
  }

  KeyIndex unique(int index, KeyIndexOptions options) {
    return map(PartitionFiles.UNIQUE + index, FileOwner.Kind.UNIQUE, index, options);
  }

  private KeyIndex map(String name, FileOwner.Kind kind, int index, KeyIndexOptions any) {
    Path path = path(name);
    KeyIndexOptions options = any.withOwner(place.owner.of(kind, index));
    if (discarded.contains(name)) {
      KeyIndex.openEmpty(path, options).delete();
      return KeyIndex.open(path, options);
    }
    return open(
        name,
        () -> checked(KeyIndex.open(path, options), KeyIndex::verify),
        () -> KeyIndex.openEmpty(path, options));
  }

  private Path path(String name) {
    return place.directory.resolve(name);
  }

  private <T> T open(String name, Supplier<T> open, Supplier<T> openEmpty) {
    if (discarded.contains(name)) {
      return openEmpty.get();
    }
    try {
      return open.get();
    } catch (StorageException e) {
      if (!isOfTheFile(e)) {
        throw e;
      }
      damage.put(name, e.getMessage());
    } catch (InternalError e) { // so the JVM tells that a mapped page cannot be read
      damage.put(name, path(name) + ": " + e.getMessage());
    }
    return openEmpty.get();
  }

  private static boolean isOfTheFile(StorageException e) {
    return switch (e.reason()) {
      case CORRUPT, UNUSABLE -> true;
      case IO -> WANTS.stream().noneMatch(String.valueOf(e.getMessage())::contains);
      case COLLECTION_DROPPED,
          DISK_FULL,
          IDS_SPENT,
          INDEX_DROPPED,
          KEY_CHANGED,
          KEY_HAS_ARRAY,
          LOG_TRIMMED,
          PARTITION_REPLACED,
          POINT_LOST,
          UNAVAILABLE ->
          false;
    };
  }

  private static <T extends AutoCloseable> T checked(T structure, Consumer<T> verify) {
    try {
      verify.accept(structure);
      return structure;
    } catch (RuntimeException | InternalError e) {
      close(structure, e);
      throw e;
    }
  }

  private static void close(AutoCloseable structure, Throwable cause) {
    try {
      structure.close();
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }
}
