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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
  private static final Pattern INDEX_FILE = Pattern.compile("(?:index|unique)-([0-9]+)(?:\\..*)?");

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
  PartitionFiles.Source of(int partition, Supplier<CollectionInfo> info) {
    return new PartitionFiles.Source() {
      @Override
      public PartitionFiles open(Set<String> discarded, Map<String, String> damage) {
        CollectionInfo present = info.get();
        Path directory = directory(present.id(), partition);
        createDirectory(directory);
        deleteLeavings(directory, present);
        return PartitionOpener.this.open(partition, present, opening(directory, discarded, damage));
      }

      @Override
      public void delete() {
        deleteDirectory(directory(info.get().id(), partition));
      }
    };
  }

  private StructureOpening opening(
      Path directory, Set<String> discarded, Map<String, String> damage) {
    return new StructureOpening(directory, pool, options.isDurable(), discarded, damage);
  }

  private PartitionFiles open(int partition, CollectionInfo info, StructureOpening opening) {
    Path directory = directory(info.id(), partition);
    SlotFile slots = opening.slots(PartitionFiles.SLOTS);
    KeyIndex ids = opening.map(PartitionFiles.IDS, map(KeyIndexOptions.single()));
    KeyIndex sizes =
        info.partitionKey() == null
            ? null
            : opening.map(PartitionFiles.SIZES, map(KeyIndexOptions.pair()));
    var indexes = new OrderedIndex[info.indexes().size()];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = openIndex(opening, info.indexes().get(i));
    }
    var files = new PartitionFiles(slots, ids, sizes, indexes, () -> deleteDirectory(directory));
    PartitionMap.Entry entry = info.partitions().find(partition);
    files.giveIds(entry == null ? 0 : entry.givenIds()); // null until a split is complete
    return files;
  }

  /** A new index; what a build under that number left behind that a crash cut short goes. */
  OrderedIndex createIndex(int collection, int partition, IndexEntry entry) {
    Path directory = directory(collection, partition);
    deleteIndex(directory, entry.id());
    return openIndex(opening(directory, Set.of(), new TreeMap<>()), entry);
  }

  private OrderedIndex openIndex(StructureOpening opening, IndexEntry entry) {
    IndexSpec spec = entry.spec();
    BTree tree = opening.tree(PartitionFiles.INDEX + entry.id());
    boolean needsMap = spec.isUnique() && !spec.name().equals(ID_INDEX);
    KeyIndex unique =
        needsMap
            ? opening.map(PartitionFiles.UNIQUE + entry.id(), map(KeyIndexOptions.single()))
            : null;
    return new OrderedIndex(entry, keys(spec), tree, unique);
  }

  /** Whatever state the files are in: they are not opened. */
  private void deleteIndex(Path directory, int index) {
    BTree.openEmpty(directory.resolve(PartitionFiles.INDEX + index), pool, false).delete();
    deleteDirectory(directory.resolve(PartitionFiles.UNIQUE + index));
  }

  /** Indexes that the collection no longer has, or that a crash kept it from ever having. */
  private void deleteLeavings(Path directory, CollectionInfo info) {
    Set<String> known =
        info.indexes().stream().map(entry -> "" + entry.id()).collect(Collectors.toSet());
    for (Path path : list(directory)) {
      Matcher name = INDEX_FILE.matcher(path.getFileName().toString());
      if (name.matches() && !known.contains(name.group(1))) {
        deleteIndex(directory, Integer.parseInt(name.group(1)));
      }
    }
  }

  private static List<Path> list(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot list " + directory, e);
    }
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
    list(root).stream()
        .filter(entry -> !isKnown.test(entry.getFileName().toString()))
        .forEach(PartitionOpener::deleteDirectory);
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
