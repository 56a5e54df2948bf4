package dev.orrery.storage.structure;

import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTree;
import dev.orrery.storage.index.FileOwner;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.keyindex.KeyIndexOptions;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
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
public final class PartitionOpener {
  static final String ID_INDEX = "_id_";
  private static final Pattern INDEX_FILE = Pattern.compile("(?:index|unique)-([0-9]+)(?:\\..*)?");

  private final Path root;
  private final PageFilePool pool;
  private final StorageHooks hooks;
  private final StructureOptions options;
  private volatile long store;

  public PartitionOpener(
      Path root, PageFilePool pool, StorageHooks hooks, StructureOptions options) {
    this.root = root;
    this.pool = pool;
    this.hooks = hooks;
    this.options = options;
  }

  /** Says which store this is, before anything is opened; 0 if that could not be written down. */
  public void identify(long ours) {
    store = ours;
  }

  /** Which store this is: every file says so. */
  public long store() {
    return store;
  }

  /** The store that most of the files say they are of; 0 if there are none that say it. */
  public long storeOfFiles() {
    var counts = new TreeMap<Long, Integer>();
    if (Files.isDirectory(root)) {
      list(root).forEach(one -> counts.merge(storeOf(one), 1, Integer::sum));
    }
    counts.remove(0L);
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(0L);
  }

  private static long storeOf(Path partition) {
    Path path = partition.resolve(PartitionFiles.SLOTS);
    try (SlotFile slots = SlotFile.open(path, new PageFilePool(), false)) {
      return slots.savedOwner().store();
    } catch (StorageException e) {
      return 0; // it is looked at again when it is opened
    }
  }

  public Path directory(int collection, int partition) {
    return root.resolve(collection + "-" + partition);
  }

  /** Opens a partition of a collection with the indexes that its description then has. */
  public PartitionFiles.Source of(int partition, Supplier<CollectionInfo> info) {
    return new PartitionFiles.Source() {
      @Override
      public PartitionFiles open(Set<String> discarded, Map<String, String> damage) {
        CollectionInfo present = info.get();
        Path directory = directory(present.id(), partition);
        clear(directory);
        deleteLeavings(directory, present);
        var place = place(present.id(), partition);
        var opening = new StructureOpening(place, discarded, damage);
        return PartitionOpener.this.open(partition, present, opening);
      }

      @Override
      public void delete() {
        deleteDirectory(directory(info.get().id(), partition));
      }
    };
  }

  private StructureOpening.Place place(int collection, int partition) {
    var owner = new FileOwner(store, collection, partition, 0, FileOwner.Kind.NONE);
    return new StructureOpening.Place(
        directory(collection, partition), owner, pool, options.isDurable());
  }

  private PartitionFiles open(int partition, CollectionInfo info, StructureOpening opening) {
    Path directory = directory(info.id(), partition);
    SlotFile slots = opening.slots(PartitionFiles.SLOTS);
    KeyIndex ids = opening.ids(map(KeyIndexOptions.single()));
    KeyIndex sizes =
        info.partitionKey() == null ? null : opening.sizes(map(KeyIndexOptions.pair()));
    List<IndexEntry> kept = info.keptIndexes();
    var indexes = new OrderedIndex[kept.size()];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = openIndex(opening, kept.get(i));
    }
    var files = new PartitionFiles(slots, ids, sizes, indexes, () -> deleteDirectory(directory));
    PartitionMap.Entry entry = info.partitions().find(partition);
    files.giveIds(entry == null ? 0 : entry.givenIds()); // null until a split is complete
    return files;
  }

  /** A new index; what a build under that number left behind that a crash cut short goes. */
  public OrderedIndex createIndex(int collection, int partition, IndexEntry entry) {
    Path directory = directory(collection, partition);
    deleteIndex(directory, entry.id());
    var place = place(collection, partition);
    try {
      return openIndex(new StructureOpening(place, Set.of(), new TreeMap<>()), entry);
    } catch (RuntimeException | Error e) {
      deleteIndex(directory, entry.id());
      throw e;
    }
  }

  private OrderedIndex openIndex(StructureOpening opening, IndexEntry entry) {
    IndexSpec spec = entry.spec();
    BTree tree = opening.tree(PartitionFiles.INDEX + entry.id(), entry.id());
    boolean needsMap = spec.isUnique() && !spec.name().equals(ID_INDEX);
    KeyIndex unique = needsMap ? opening.unique(entry.id(), map(KeyIndexOptions.single())) : null;
    return new OrderedIndex(entry, keys(spec), tree, unique);
  }

  /** Whatever state the files are in: they are not opened. */
  private void deleteIndex(Path directory, int index) {
    Path tree = directory.resolve(PartitionFiles.INDEX + index);
    BTree.openEmpty(tree, FileOwner.NONE, pool, false).delete();
    deleteDirectory(directory.resolve(PartitionFiles.UNIQUE + index));
  }

  /** Indexes that the collection no longer has, or that a crash kept it from ever having. */
  private void deleteLeavings(Path directory, CollectionInfo info) {
    Set<String> known =
        info.keptIndexes().stream().map(entry -> "" + entry.id()).collect(Collectors.toSet());
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
    return kind.withEphemeral(!options.isDurable())
        .withLimits(options.heapEntries(), options.bucketEntries());
  }

  /** How documents become keys of an index. */
  public IndexKeys keys(IndexSpec spec) {
    Predicate<RawDocument> filter =
        spec.partialFilter() == null ? document -> true : hooks.filter(spec.partialFilter());
    return IndexKeys.of(spec, strings(spec), filter, hooks::specialKeys);
  }

  private StringOrder strings(IndexSpec spec) {
    return spec.collation() == null ? StringOrder.UTF8 : hooks.collation(spec.collation());
  }

  /** Deletes what belongs to no partition: leavings of drops and splits that a crash cut short. */
  public void deleteStrangers(Predicate<String> isKnown) {
    if (!Files.isDirectory(root)) {
      return;
    }
    list(root).stream()
        .filter(entry -> !isKnown.test(entry.getFileName().toString()))
        .forEach(PartitionOpener::deleteDirectory);
  }

  /** Makes the directory, also where something else has its name: all it held can be made anew. */
  private void clear(Path directory) {
    try {
      for (Path path : List.of(root, directory)) {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(path)) {
          PrivateFiles.delete(path);
        }
      }
      PrivateFiles.createDirectories(directory);
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot create " + directory, e);
    }
  }

  public static void deleteDirectory(Path directory) {
    try {
      PrivateFiles.delete(directory);
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot delete " + directory, e);
    }
  }
}
