package dev.orrery.storage.engine;

import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitClock;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.DiskRoom;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageFigures;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.Transaction;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.commit.BatchCommit;
import dev.orrery.storage.commit.TransactionGround;
import dev.orrery.storage.feed.LogFeed;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.SegmentInfo;
import dev.orrery.storage.overlay.OverlayTransaction;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.physical.DiskSpace;
import dev.orrery.storage.physical.Garbage;
import dev.orrery.storage.physical.PastPoints;
import dev.orrery.storage.physical.PinnedView;
import dev.orrery.storage.physical.ReadPoints;
import dev.orrery.storage.recovery.CollectionRepair;
import dev.orrery.storage.recovery.Discard;
import dev.orrery.storage.recovery.EngineRecovery;
import dev.orrery.storage.recovery.Validation;
import dev.orrery.storage.reshape.CatalogChanges;
import dev.orrery.storage.reshape.EngineParts;
import dev.orrery.storage.reshape.IndexBuild;
import dev.orrery.storage.reshape.IndexRecords;
import dev.orrery.storage.reshape.PartitionMerge;
import dev.orrery.storage.reshape.PartitionSplit;
import dev.orrery.storage.structure.PartitionOpener;
import dev.orrery.storage.upkeep.AutomaticSplits;
import dev.orrery.storage.upkeep.CheckpointFile;
import dev.orrery.storage.upkeep.CpuTimes;
import dev.orrery.storage.upkeep.Housekeeping;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The embedded engine: one durable log, and Chronicle Maps, slots and ordered trees over it.
 *
 * <p>Changes of the catalog (collections, indexes, settings) are log records like documents are.
 * They are made one at a time ({@link CatalogChanges}); commits of documents do not take their
 * lock.
 */
public final class ChronicleEngine implements StorageEngine {
  private static final long LOCK_MILLIS = 20;

  private final EngineParts parts = new Parts();
  private final Log log;
  private final PartitionOpener opener;
  private final Collections collections;
  private final ReadPoints points;
  private final PastPoints past;
  private final CatalogChanges catalog;
  private final LogFeed feed;
  private final Garbage garbage;
  private final Housekeeping housekeeping;
  private final AutomaticSplits splits;
  private final BatchCommit commits;
  private final DiskSpace diskSpace;
  private final Path directory;
  private final StorageObserver observer;
  private final PageFilePool pages = new PageFilePool();
  private final long replayedGroups;
  private volatile boolean isClosed;

  private ChronicleEngine(Path directory, EngineOptions options, StorageHooks hooks) {
    this.directory = directory;
    this.observer = hooks.observer();
    this.diskSpace = DiskSpace.of(directory, hooks::isDiskFull);
    int segmentBytes = Math.min(options.log().segmentBytes(), diskSpace.segmentBytesMax());
    this.log = Log.open(directory.resolve("log"), options.log().withSegmentBytes(segmentBytes));
    log.onFailure(cause -> hooks.failed("the log", cause));
    log.observe(observer);
    try {
      Path partitions = directory.resolve("partitions");
      this.opener = new PartitionOpener(partitions, pages, hooks, options.structures());
      var file = new CheckpointFile(directory.resolve("checkpoint"), options.isDurable());
      this.garbage = new Garbage();
      this.points = new ReadPoints(log, options.points().historyBytes());
      this.collections = new Collections(opener, log, points, hooks);
      this.past = new PastPoints(log, collections, points, log.lastLsn());
      var recovery = new EngineRecovery(log, collections, garbage, ChronicleEngine::newStore);
      this.catalog =
          new CatalogChanges(parts, log, collections, recovery.run(file), UUID::randomUUID);
      points.namedBy(catalog::isSame);
      this.feed = new LogFeed(log, collections, catalog.past());
      this.replayedGroups = recovery.replayedGroups();
      this.commits = new BatchCommit(log, garbage, options.limits().logicalPartitionBytes());
      var upkeep = options.upkeep(segmentBytes, diskSpace.freeBytes());
      this.housekeeping = new Housekeeping(parts, file, upkeep, CpuTimes::new);
      long partitionBytesMax = options.limits().physicalPartitionBytes();
      this.splits = new AutomaticSplits(parts, partitionBytesMax, CpuTimes::new);
      housekeeping.start();
      splits.start();
    } catch (RuntimeException | Error e) {
      log.close();
      throw e;
    }
  }

  private static long newStore() {
    return UUID.randomUUID().getMostSignificantBits(); // never 0: a version is in it
  }

  /** Opens a data directory, which is created if need be, and recovers it. */
  public static ChronicleEngine open(Path directory, EngineOptions options, StorageHooks hooks) {
    try {
      return new ChronicleEngine(directory, options, hooks);
    } catch (InternalError e) {
      throw DiskSpace.noPage(directory, e);
    }
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
    return catalog.create(namespace, creation);
  }

  @Override
  public CollectionStore replaceEmpty(
      CollectionStore collection, CollectionInfo.Creation creation) {
    return catalog.replaceEmpty(collection, creation);
  }

  @Override
  public boolean drop(CollectionStore collection) {
    return catalog.drop(collection);
  }

  @Override
  public boolean dropEmpty(CollectionStore collection) {
    return catalog.dropEmpty(collection);
  }

  @Override
  public boolean rename(
      CollectionStore collection, Namespace from, Namespace to, boolean dropTarget) {
    return catalog.rename(collection, from, to, dropTarget);
  }

  @Override
  public CollectionInfo update(CollectionStore collection, UnaryOperator<CollectionInfo> change) {
    return catalog.update(collection, change);
  }

  @Override
  public void createIndexes(
      CollectionStore collection,
      Function<CollectionInfo, List<IndexSpec>> missing,
      Runnable pause) {
    build(collection, pause, build -> build.run(missing.apply(collection.info())));
  }

  @Override
  public void replaceIndex(CollectionStore collection, IndexSpec changed) {
    build(collection, () -> {}, build -> build.replace(changed));
  }

  private void build(CollectionStore collection, Runnable pause, Consumer<IndexBuild> work) {
    var target = (ChronicleCollection) collection;
    await(target.structureLock(), pause);
    try {
      work.accept(new IndexBuild(parts, target, pause));
    } finally {
      target.structureLock().unlock();
    }
  }

  /** Takes a lock that another build may have for long. */
  private static void await(ReentrantLock lock, Runnable pause) {
    try {
      while (!lock.tryLock(LOCK_MILLIS, TimeUnit.MILLISECONDS)) {
        pause.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(StorageException.Reason.UNAVAILABLE, "interrupted", e);
    }
  }

  @Override
  public boolean dropIndex(CollectionStore collection, String name) {
    var changed = (ChronicleCollection) collection;
    changed.structureLock().lock();
    catalog.lock().lock();
    try {
      return new IndexRecords(parts, changed).drop(name);
    } finally {
      catalog.lock().unlock();
      changed.structureLock().unlock();
    }
  }

  @Override
  public void alterIndex(CollectionStore collection, IndexSpec altered) {
    catalog.lock().lock();
    try {
      new IndexRecords(parts, (ChronicleCollection) collection).alter(altered);
    } finally {
      catalog.lock().unlock();
    }
  }

  @Override
  public View pin() {
    requireOpen();
    return new PinnedView(points);
  }

  @Override
  public View pin(long time) {
    return pinned(time);
  }

  private PinnedView pinned(long time) {
    requireOpen();
    return time == 0 ? new PinnedView(points) : past.open(time);
  }

  @Override
  public Transaction begin(long time) {
    return new OverlayTransaction(
        new TransactionGround(commits, this::commit, pinned(time), opener::keys));
  }

  @Override
  public CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter) {
    return CompletableFuture.completedFuture(commit(batch, null, meter));
  }

  private CommitResult commit(WriteBatch batch, @Nullable Object owner, WorkMeter meter) {
    requireOpen();
    diskSpace.require(batch);
    pages.awaitRoom();
    return commits.run(batch, owner, meter);
  }

  @Override
  public ChangeFeed changes() {
    requireOpen();
    return feed;
  }

  @Override
  public CommitClock clock() {
    return log.times();
  }

  @Override
  public Receipt receipt() {
    return log.receipt(log.last());
  }

  @Override
  public List<BsonDocument> settings(String kind) {
    return catalog.settings(kind);
  }

  @Override
  public Receipt putSetting(String kind, BsonDocument document) {
    return catalog.putSetting(kind, document);
  }

  @Override
  public boolean removeSetting(String kind, String id) {
    return catalog.removeSetting(kind, id);
  }

  @Override
  public Receipt announce(BsonDocument announcement) {
    return catalog.announce(announcement);
  }

  private void requireOpen() {
    if (isClosed) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, "the engine is closed");
    }
  }

  @Override
  public void split(CollectionStore collection, int partition, String boundary, Runnable pause) {
    var split = new PartitionSplit(parts, (ChronicleCollection) collection);
    split.run(partition, boundary, done -> pause.run());
    checkpoint(); // from now on it is known how new the children's files are
  }

  @Override
  public int merge(CollectionStore collection, int partition, int neighbour, Runnable pause) {
    var target = (ChronicleCollection) collection;
    int merged = PartitionMerge.run(parts, target, partition, neighbour, done -> pause.run());
    checkpoint();
    return merged;
  }

  @Override
  public List<String> validate(CollectionStore collection) {
    return new Validation(log).run((ChronicleCollection) collection);
  }

  @Override
  public RepairResult repair(CollectionStore collection, Runnable pause) {
    return new CollectionRepair(parts, (ChronicleCollection) collection).run(pause);
  }

  @Override
  public Receipt discard(CollectionStore collection, @Nullable RawValue partitionKey, RawValue id) {
    requireOpen();
    return new Discard(parts, (ChronicleCollection) collection).run(partitionKey, id);
  }

  @Override
  public long diskBytes() {
    return DiskSpace.usedBytes(directory);
  }

  @Override
  public DiskRoom diskRoom() {
    return diskSpace.room();
  }

  @Override
  public StorageFigures figures() {
    long bytes = 0;
    long dead = 0;
    List<SegmentInfo> segments = log.segments();
    for (SegmentInfo segment : segments) {
      bytes += segment.bytes();
      dead += Math.min(segment.bytes(), garbage.of(segment.number()));
    }
    return new StorageFigures(
        bytes, segments.size(), dead, diskSpace.freeBytes(), diskSpace.isFull());
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
    catalog.lock().lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
    } finally {
      catalog.lock().unlock();
    }
    try {
      points.loseAll();
      splits.close();
      housekeeping.close();
    } finally {
      collections.close();
      log.close();
    }
  }

  /** What is inside, for those who check it. */
  EngineParts parts() {
    return parts;
  }

  private final class Parts implements EngineParts {
    @Override
    public Log log() {
      return log;
    }

    @Override
    public Collections all() {
      return collections;
    }

    @Override
    public CatalogChanges catalog() {
      return catalog;
    }

    @Override
    public ReadPoints points() {
      return points;
    }

    @Override
    public Garbage garbage() {
      return garbage;
    }

    @Override
    public PageFilePool pages() {
      return pages;
    }

    @Override
    public DiskSpace diskSpace() {
      return diskSpace;
    }

    @Override
    public StorageObserver observer() {
      return observer;
    }

    @Override
    public void requireOpen() {
      ChronicleEngine.this.requireOpen();
    }

    @Override
    public void requireRoom() {
      diskSpace.require(0);
    }

    @Override
    public <T> T exclusively(Supplier<T> action) {
      return housekeeping.exclusively(action);
    }

    @Override
    public void checkpoint() {
      housekeeping.checkpoint();
    }

    @Override
    public void countDropped(ChronicleCollection collection) {
      housekeeping.countDropped(collection);
    }

    @Override
    public void givenUp(long segment) {
      housekeeping.suspect(segment);
    }
  }
}
