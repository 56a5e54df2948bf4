package dev.orrery.storage.chronicle;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.Lane;
import dev.orrery.storage.Namespace;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.index.IndexSpec;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.RecordGroup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;

/**
 * The embedded engine: one durable log, and Chronicle Maps, slots and ordered trees over it.
 *
 * <p>Changes of the catalog (collections, indexes, settings) are log records like documents are.
 * They are made one at a time under {@link #ddl}; commits of documents do not take it.
 */
public final class ChronicleEngine implements StorageEngine {
  private final ReentrantLock ddl = new ReentrantLock();
  private final EngineOptions options;
  private final Log log;
  private final Collections collections;
  private final Catalog catalog;
  private final Garbage garbage;
  private final Housekeeping housekeeping;
  private final AutomaticSplits splits;
  private final BatchCommit commits;
  private final DiskSpace diskSpace;
  private final Path directory;
  private final PageFilePool pages = new PageFilePool();
  private final long replayedGroups;
  private volatile boolean isClosed;

  private ChronicleEngine(Path directory, EngineOptions options, StorageHooks hooks) {
    this.directory = directory;
    this.options = options;
    this.log = Log.open(directory.resolve("log"), options.log());
    log.onFailure(cause -> hooks.failed("the log", cause));
    try {
      var opener = new PartitionOpener(directory.resolve("partitions"), pages, hooks, options);
      var file = new CheckpointFile(directory.resolve("checkpoint"), options.isDurable());
      this.garbage = new Garbage();
      this.diskSpace = new DiskSpace(directory);
      this.collections = new Collections(opener, log, hooks);
      var recovery = new Recovery(log, collections, garbage);
      this.catalog = recovery.run(file);
      this.replayedGroups = recovery.replayedGroups();
      this.commits = new BatchCommit(log, garbage, options.limits().logicalPartitionBytes());
      this.housekeeping = new Housekeeping(this, file, options, CpuTimes::new);
      long partitionBytesMax = options.limits().physicalPartitionBytes();
      this.splits = new AutomaticSplits(this, partitionBytesMax, CpuTimes::new);
      housekeeping.start();
      splits.start();
    } catch (RuntimeException | Error e) {
      log.close();
      throw e;
    }
  }

  /** Opens a data directory, which is created if need be, and recovers it. */
  public static ChronicleEngine open(Path directory, EngineOptions options, StorageHooks hooks) {
    return new ChronicleEngine(directory, options, hooks);
  }

  @Override
  public List<CollectionStore> collections() {
    return List.copyOf(collections.all());
  }

  @Override
  public CollectionStore find(Namespace namespace) {
    return collections.find(namespace);
  }

  @Override
  public CollectionStore create(Namespace namespace, CollectionInfo.Creation creation) {
    ddl().lock();
    try {
      if (collections.find(namespace) != null) {
        return null;
      }
      CollectionInfo info = describe(namespace, creation);
      record(CatalogRecord.put(info));
      catalog.put(info);
      return collections.add(info);
    } finally {
      ddl.unlock();
    }
  }

  private CollectionInfo describe(Namespace namespace, CollectionInfo.Creation creation) {
    return creation.describe(catalog.nextCollectionId(), UUID.randomUUID(), namespace);
  }

  @Override
  public CollectionStore replaceEmpty(
      CollectionStore collection, CollectionInfo.Creation creation) {
    var old = (ChronicleCollection) collection;
    old.structureLock().lock();
    ddl().lock();
    // Whoever holds these is alone: a commit under way has ended, the next one finds them dropped.
    var writers =
        new AllLocks(old.physicalPartitions().stream().map(partition -> partition.lock).toList());
    writers.lock();
    try {
      if (!old.exists() || old.physicalPartitions().stream().anyMatch(one -> !one.isEmpty())) {
        return null;
      }
      CollectionInfo info = describe(old.info().namespace(), creation);
      // In one group: a crash leaves the old collection or the new one.
      log.awaitDurable(record(CatalogRecord.drop(old.info().id()), CatalogRecord.put(info)));
      catalog.put(info);
      CollectionStore replacement = collections.add(info); // nobody finds none in between
      forget(old);
      return replacement;
    } finally {
      writers.unlock();
      ddl.unlock();
      old.structureLock().unlock();
    }
  }

  @Override
  public boolean drop(CollectionStore collection) {
    return alone(
        () -> {
          boolean isThere = collection.exists();
          if (isThere) {
            dropLocked((ChronicleCollection) collection);
          }
          return isThere;
        });
  }

  private void dropLocked(ChronicleCollection collection) {
    requireOpen();
    int id = collection.info().id();
    log.awaitDurable(append(CatalogRecord.drop(id))); // files may only go when the log says so
    forget(collection);
  }

  private void forget(ChronicleCollection collection) {
    catalog.drop(collection.info().id());
    collections.drop(collection);
    housekeeping.countDropped(collection);
  }

  @Override
  public boolean rename(CollectionStore collection, Namespace to, boolean dropTarget) {
    ddl().lock();
    try {
      var target = collections.find(to);
      if (!collection.exists() || (target != null && !dropTarget)) {
        return false;
      }
      var renamed = (ChronicleCollection) collection;
      Namespace from = renamed.info().namespace();
      CollectionInfo info = renamed.info().withNamespace(to);
      if (target == null) {
        record(CatalogRecord.put(info));
      } else {
        // In one group: a crash must not leave the one dropped and the other not renamed.
        log.awaitDurable(record(CatalogRecord.drop(target.info().id()), CatalogRecord.put(info)));
      }
      catalog.put(info);
      renamed.describe(info);
      collections.rename(renamed, from);
      if (target != null) {
        forget(target); // nobody finds none in between
      }
      return true;
    } finally {
      ddl.unlock();
    }
  }

  @Override
  public CollectionInfo update(CollectionStore collection, UnaryOperator<CollectionInfo> change) {
    ddl().lock();
    try {
      var target = (ChronicleCollection) collection;
      target.requireExists();
      var changed = change.apply(collection.info());
      describe(target, changed);
      return changed;
    } finally {
      ddl.unlock();
    }
  }

  private void put(ChronicleCollection collection, CollectionInfo info) {
    collection.requireExists(); // a record after that of the drop would bring it back
    record(CatalogRecord.put(info));
    catalog.put(info);
  }

  /** Records and publishes a new description. The lock must be held. */
  void describe(ChronicleCollection collection, CollectionInfo info) {
    put(collection, info);
    collection.describe(info);
  }

  /** The same with other indexes, in the partitions first: who hears of one finds it in all. */
  void describeIndexes(ChronicleCollection collection, CollectionInfo info) {
    put(collection, info);
    collections.describeIndexes(collection, info.indexes());
    collection.describe(info);
  }

  /** Records and publishes a description with other partitions. The lock must be held. */
  void repartition(
      ChronicleCollection collection, CollectionInfo info, List<PhysicalPartition> partitions) {
    put(collection, info);
    collection.repartition(info, partitions);
  }

  /** Runs while no checkpoint does. */
  <T> T exclusively(Supplier<T> action) {
    return housekeeping.exclusively(action);
  }

  @Override
  public void createIndexes(CollectionStore collection, List<IndexSpec> indexes, Runnable pause) {
    build(collection, pause, build -> build.run(indexes));
  }

  @Override
  public void replaceIndex(CollectionStore collection, IndexSpec changed) {
    build(collection, () -> {}, build -> build.replace(changed));
  }

  private void build(CollectionStore collection, Runnable pause, Consumer<IndexBuild> work) {
    var target = (ChronicleCollection) collection;
    target.structureLock().lock();
    try {
      work.accept(new IndexBuild(this, target, pause));
    } finally {
      target.structureLock().unlock();
    }
  }

  @Override
  public boolean dropIndex(CollectionStore collection, String name) {
    var changed = (ChronicleCollection) collection;
    changed.structureLock().lock();
    ddl().lock();
    try {
      changed.requireExists();
      CollectionInfo info = collection.info();
      IndexEntry dropped = info.index(name);
      if (dropped == null || !dropped.ready()) {
        return false;
      }
      var rest = new ArrayList<>(info.indexes());
      rest.remove(dropped);
      describe(changed, info.withIndexes(rest));
      log.awaitDurable(log.lastLsn()); // files may only go when the log surely says so
      collections.removeIndex(changed, dropped.id());
      return true;
    } finally {
      ddl.unlock();
      changed.structureLock().unlock();
    }
  }

  @Override
  public void alterIndex(CollectionStore collection, IndexSpec altered) {
    ddl().lock();
    try {
      var changed = (ChronicleCollection) collection;
      changed.requireExists();
      CollectionInfo info = collection.info();
      IndexEntry present = info.index(altered.name());
      if (present == null || !present.spec().hasKeysOf(altered)) {
        throw PartitionFiles.dropped(altered);
      }
      var entries = new ArrayList<IndexEntry>();
      for (IndexEntry entry : info.indexes()) {
        boolean isIt = entry.spec().name().equals(altered.name());
        entries.add(isIt ? new IndexEntry(entry.id(), altered, entry.ready()) : entry);
      }
      describeIndexes(changed, info.withIndexes(entries));
    } finally {
      ddl.unlock();
    }
  }

  @Override
  public CommitResult commit(WriteBatch batch, WorkMeter meter) {
    requireOpen();
    diskSpace.require(batch);
    pages.awaitRoom();
    return commits.run(batch, meter);
  }

  @Override
  public CompletableFuture<Void> whenDurable(long lsn) {
    return log.whenDurable(lsn);
  }

  @Override
  public long lastLsn() {
    return log.lastLsn();
  }

  @Override
  public List<BsonDocument> settings(String kind) {
    return alone(() -> catalog.settings(kind));
  }

  @Override
  public long putSetting(String kind, BsonDocument document) {
    return alone(
        () -> {
          long lsn = record(CatalogRecord.putSetting(kind, document));
          catalog.putSetting(kind, document);
          return lsn;
        });
  }

  @Override
  public boolean removeSetting(String kind, String id) {
    return alone(
        () -> {
          if (catalog.hasSetting(kind, id)) { // or a full disk would bring it back
            record(CatalogRecord.removeSetting(kind, id));
          }
          return catalog.removeSetting(kind, id);
        });
  }

  private <T> T alone(Supplier<T> change) {
    ddl().lock();
    try {
      return change.get();
    } finally {
      ddl.unlock();
    }
  }

  private long record(byte[]... payloads) {
    requireOpen();
    diskSpace.require(Arrays.stream(payloads).mapToLong(payload -> payload.length).sum());
    return append(payloads);
  }

  private long append(byte[]... payloads) {
    var group = new RecordGroup();
    for (byte[] payload : payloads) {
      group.add(DataRecord.CATALOG, new byte[0], payload);
    }
    return log.append(group).lsn();
  }

  void requireOpen() {
    if (isClosed) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, "the engine is closed");
    }
  }

  @Override
  public void split(CollectionStore collection, int partition, String boundary, Runnable pause) {
    split((ChronicleCollection) collection, partition, boundary, done -> pause.run());
  }

  void split(ChronicleCollection collection, int partition, String at, Takeover.Pauses pauses) {
    new PartitionSplit(this, collection).run(partition, at, pauses);
    checkpoint(); // from now on it is known how new the children's files are
  }

  @Override
  public int merge(CollectionStore collection, int partition, int neighbour, Runnable pause) {
    var target = (ChronicleCollection) collection;
    int merged = PartitionMerge.run(this, target, partition, neighbour, done -> pause.run());
    checkpoint();
    return merged;
  }

  @Override
  public List<String> validate(CollectionStore collection) {
    return new Validation(log).run((ChronicleCollection) collection);
  }

  @Override
  public RepairResult repair(CollectionStore collection, Runnable pause) {
    return new CollectionRepair(this, (ChronicleCollection) collection).run(pause);
  }

  @Override
  public long diskBytes() {
    return DiskSpace.usedBytes(directory);
  }

  /** Saves everything that changed; recovery then starts here. */
  public void checkpoint() {
    housekeeping.checkpoint();
  }

  /** Compacts what is worth compacting now; returns how many segments were freed. */
  public int compact() {
    return housekeeping.compact();
  }

  /** How many groups of the log were replayed at the start; none after a clean stop. */
  public long replayedGroups() {
    return replayedGroups;
  }

  /** Structures that were lost or out of date and were made anew since the start. */
  public List<String> rebuilt() {
    return collections.rebuilt();
  }

  /** Reads every file of the store; the first fault is thrown with its file and offset. */
  public void verify() {
    Validation.requireSound(log, collections.all());
  }

  @Override
  public void close() {
    ddl().lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
    } finally {
      ddl.unlock();
    }
    try {
      splits.close();
      housekeeping.close();
    } finally {
      collections.close();
      log.close();
    }
  }

  /** Held while the log and the checkpoint file are written. */
  ReentrantLock ddl() {
    Lane.requireMayWait();
    return ddl;
  }

  Catalog catalog() {
    return catalog;
  }

  Collections all() {
    return collections;
  }

  Log log() {
    return log;
  }

  /** The memory of changed pages. */
  PageFilePool pages() {
    return pages;
  }

  Garbage garbage() {
    return garbage;
  }

  EngineOptions options() {
    return options;
  }
}
