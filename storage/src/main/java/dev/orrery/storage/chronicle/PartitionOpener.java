package dev.orrery.storage.chronicle;

import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.index.IndexSpec;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.StringOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Knows where the structures of a partition lie and opens them.
 *
 * <pre>
 * partitions/&lt;collection&gt;-&lt;partition&gt;/slots          record id to log position
 *                                    /ids/          primary key to record id
 *                                    /sizes/        partition key to bytes and documents
 *                                    /index-&lt;n&gt;     ordered index n
 *                                    /unique-&lt;n&gt;/   unique keys of index n
 * </pre>
 */
final class PartitionOpener {
  static final String ID_INDEX = "_id_";

  private final Path root;
  private final PageFilePool pool;
  private final StorageHooks hooks;
  private final EngineOptions options;

  PartitionOpener(Path root, PageFilePool pool, StorageHooks hooks, EngineOptions options) {
    this.root = root;
    this.pool = pool;
    this.hooks = hooks;
    this.options = options;
  }

  Path directory(int collection, int partition) {
    return root.resolve(collection + "-" + partition);
  }

  /** Opens a partition of a collection with the indexes that its description then has. */
  PartitionFiles.Opener of(int partition, Supplier<CollectionInfo> info) {
    return new PartitionFiles.Opener() {
      @Override
      public PartitionFiles open() {
        return PartitionOpener.this.open(partition, info.get());
      }

      @Override
      public void delete() {
        deleteDirectory(directory(info.get().id(), partition));
      }

      @Override
      public Map<String, Long> savedStamps() {
        return Map.of();
      }
    };
  }

  private PartitionFiles open(int partition, CollectionInfo info) {
    Path directory = directory(info.id(), partition);
    createDirectory(directory);
    var slots = SlotFile.open(directory.resolve(PartitionFiles.SLOTS), pool, options.isDurable());
    var ids = KeyIndex.open(directory.resolve(PartitionFiles.IDS), map(KeyIndexOptions.single()));
    KeyIndex sizes =
        info.partitionKey() == null
            ? null
            : KeyIndex.open(directory.resolve(PartitionFiles.SIZES), map(KeyIndexOptions.pair()));
    var indexes = new OrderedIndex[info.indexes().size()];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = openIndex(info.id(), partition, info.indexes().get(i));
    }
    var files = new PartitionFiles(slots, ids, sizes, indexes, () -> deleteDirectory(directory));
    PartitionMap.Entry entry = info.partitions().find(partition);
    files.giveIds(entry == null ? 0 : entry.givenIds()); // null until a split is complete
    return files;
  }

  OrderedIndex openIndex(int collection, int partition, IndexEntry entry) {
    Path directory = directory(collection, partition);
    IndexSpec spec = entry.spec();
    var tree =
        BTree.open(directory.resolve(PartitionFiles.INDEX + entry.id()), pool, options.isDurable());
    boolean needsMap = spec.isUnique() && !spec.name().equals(ID_INDEX);
    KeyIndex unique =
        needsMap
            ? KeyIndex.open(
                directory.resolve(PartitionFiles.UNIQUE + entry.id()),
                map(KeyIndexOptions.single()))
            : null;
    return new OrderedIndex(entry, keys(spec), tree, unique);
  }

  /** Deletes what a build of that index left behind that a crash cut short. */
  void deleteIndex(int collection, int partition, IndexEntry entry) {
    OrderedIndex leavings = openIndex(collection, partition, entry);
    leavings.delete();
  }

  private KeyIndexOptions map(KeyIndexOptions kind) {
    EngineOptions.Maps maps = options.maps();
    return kind.withEphemeral(!options.isDurable())
        .withLimits(maps.heapEntries(), maps.bucketEntries());
  }

  IndexKeys keys(IndexSpec spec) {
    Predicate<RawDocument> filter =
        spec.partialFilter() == null ? document -> true : hooks.filter(spec.partialFilter());
    return IndexKeys.of(spec, strings(spec), filter);
  }

  private StringOrder strings(IndexSpec spec) {
    return spec.collation() == null ? StringOrder.UTF8 : hooks.collation(spec.collation());
  }

  /** Deletes what belongs to no partition: leavings of drops and splits that a crash cut short. */
  void deleteStrangers(Predicate<String> isKnown) {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (Stream<Path> entries = Files.list(root)) {
      entries
          .filter(entry -> !isKnown.test(entry.getFileName().toString()))
          .forEach(PartitionOpener::deleteDirectory);
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot list " + root, e);
    }
  }

  private static void createDirectory(Path directory) {
    try {
      PrivateFiles.createDirectories(directory);
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot create " + directory, e);
    }
  }

  static void deleteDirectory(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot delete " + directory, e);
    }
  }
}
