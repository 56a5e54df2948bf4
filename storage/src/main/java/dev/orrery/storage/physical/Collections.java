package dev.orrery.storage.physical;

import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.CheckedOpener;
import dev.orrery.storage.structure.OrderedIndex;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PartitionOpener;
import dev.orrery.storage.structure.PartitionRebuild;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.Namespace;
import dev.orrery.value.StringOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open collections of an engine, by name and by number. Changed under the engine's lock. */
public final class Collections {
  private static final Logger LOGGER = LoggerFactory.getLogger(Collections.class);

  private final Map<Namespace, ChronicleCollection> byName = new ConcurrentHashMap<>();
  private final Map<Integer, ChronicleCollection> byId = new ConcurrentHashMap<>();
  private final PartitionOpener opener;
  private final Log log;
  private final ReadPoints points;
  private final StorageHooks hooks;
  private final Queue<String> rebuilt = new ConcurrentLinkedQueue<>();
  private final long logEnd;
  private volatile Map<String, Map<String, Long>> savedStamps = Map.of();
  private volatile Set<Integer> savedCollections = Set.of();
  private volatile boolean isReplayed;

  public Collections(PartitionOpener opener, Log log, ReadPoints points, StorageHooks hooks) {
    this.opener = opener;
    this.log = log;
    this.points = points;
    this.logEnd = log.lastLsn();
    this.hooks = hooks;
  }

  public PartitionOpener opener() {
    return opener;
  }

  /** Sorted by name. */
  public List<ChronicleCollection> all() {
    var sorted = new ArrayList<>(byName.values());
    sorted.sort(Comparator.comparing(collection -> collection.info().namespace()));
    return List.copyOf(sorted);
  }

  /** Null when there is none of that name. */
  public ChronicleCollection find(Namespace namespace) {
    return byName.get(namespace);
  }

  /** Null when the collection was dropped. */
  public ChronicleCollection find(int id) {
    return byId.get(id);
  }

  public ChronicleCollection add(CollectionInfo info) {
    var present = new ChronicleCollection[1];
    Supplier<CollectionInfo> description = () -> present[0] == null ? info : present[0].info();
    var partitions = new ArrayList<PhysicalPartition>();
    if (!info.isView()) {
      for (PartitionMap.Entry entry : info.partitions().entries()) {
        partitions.add(partition(info.id(), entry, description));
      }
    }
    present[0] = new ChronicleCollection(info, keys(info), partitions);
    byId.put(info.id(), present[0]);
    byName.put(info.namespace(), present[0]);
    return present[0];
  }

  public PhysicalPartition partition(
      int collection, PartitionMap.Entry entry, Supplier<CollectionInfo> description) {
    Path directory = opener.directory(collection, entry.id());
    Map<String, Long> stamps = savedStamps.get(directory.getFileName().toString());
    // Between two checkpoints a partition appears in an old collection only by taking over from
    // others, and then it was saved first.
    boolean allSaved = stamps == null && !isReplayed && savedCollections.contains(collection);
    var checked =
        new CheckedOpener(
            opener.of(entry.id(), description),
            directory,
            new CheckedOpener.Expected(
                stamps == null ? Map.of() : stamps, allSaved, logEnd, () -> isReplayed),
            new PartitionRebuild(log, keys(description.get()), entry, description),
            this::say);
    return new PhysicalPartition(collection, entry, checked, log, points);
  }

  /** Says how new the structures must be at least, before the first collection is added. */
  public void expect(Map<String, Map<String, Long>> stamps, Set<Integer> saved) {
    savedStamps = stamps;
    savedCollections = saved;
  }

  /** Compares structures into which the log was replayed; no other will be replayed into. */
  public void completeReplay() {
    var checkpointer = new Checkpointer(log);
    for (ChronicleCollection collection : all()) {
      collection.physicalPartitions().forEach(partition -> partition.compare(checkpointer));
    }
    isReplayed = true;
  }

  /** How new the structures of each partition are on disk. */
  public Map<String, Map<String, Long>> stamps() {
    var stamps = new TreeMap<String, Map<String, Long>>();
    for (ChronicleCollection collection : all()) {
      for (PhysicalPartition partition : collection.physicalPartitions()) {
        Path directory = opener.directory(partition.collectionId(), partition.id());
        stamps.put(directory.getFileName().toString(), partition.stamps());
      }
    }
    return stamps;
  }

  /** Takes note of a structure that had to be made anew. */
  public void say(String what) {
    LOGGER.warn(what);
    rebuilt.add(what);
  }

  /** Structures that had to be made anew since the start. */
  public List<String> rebuilt() {
    return List.copyOf(rebuilt);
  }

  /** Whether a partition has stopped taking writes because an index failed. */
  public boolean haveFailed() {
    return byId.values().stream()
        .flatMap(collection -> collection.physicalPartitions().stream())
        .anyMatch(PhysicalPartition::hasFailed);
  }

  private PrimaryKeys keys(CollectionInfo info) {
    var collation = info.options().getDocument("collation", null);
    StringOrder strings = collation == null ? StringOrder.UTF8 : hooks.collation(collation);
    return new PrimaryKeys(info.partitionKey(), strings);
  }

  /** Its name may be another's already. */
  public void drop(ChronicleCollection collection) {
    byName.remove(collection.info().namespace(), collection);
    byId.remove(collection.info().id());
    collection.drop();
    for (PhysicalPartition partition : collection.physicalPartitions()) {
      locked(partition, partition::drop);
    }
  }

  public void rename(ChronicleCollection collection, Namespace from) {
    byName.put(collection.info().namespace(), collection);
    byName.remove(from);
  }

  /** Takes an index out of all partitions and deletes its files. */
  public void removeIndex(ChronicleCollection collection, int indexId) {
    for (PhysicalPartition partition : collection.physicalPartitions()) {
      locked(partition, () -> removeIndex(partition.files(), indexId));
    }
  }

  private static void removeIndex(PartitionFiles files, int indexId) {
    OrderedIndex removed = files.find(indexId);
    if (removed != null) {
      files.replaceIndexes(
          Arrays.stream(files.indexes())
              .filter(index -> index != removed)
              .toArray(OrderedIndex[]::new));
      removed.delete();
    }
  }

  /** Gives the indexes of partitions their changed descriptions. */
  public void describeIndexes(ChronicleCollection collection, List<IndexEntry> entries, long lsn) {
    for (PhysicalPartition partition : collection.physicalPartitions()) {
      locked(
          partition,
          () -> {
            var described = partition.files().indexes().clone();
            for (int i = 0; i < described.length; i++) {
              for (IndexEntry entry : entries) {
                if (entry.id() == described[i].entry().id()) {
                  described[i] = described[i].withEntry(entry, lsn);
                }
              }
            }
            partition.files().replaceIndexes(described);
          });
    }
  }

  public static void locked(PhysicalPartition partition, Runnable action) {
    partition.lock.lock();
    try {
      action.run();
    } finally {
      partition.lock.unlock();
    }
  }

  public void close() {
    byId.values().forEach(one -> one.physicalPartitions().forEach(PhysicalPartition::close));
  }
}
