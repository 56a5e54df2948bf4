package dev.orrery.storage.engine;

import dev.orrery.storage.keyindex.KeyIndexOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.structure.StructureOptions;
import dev.orrery.storage.upkeep.UpkeepOptions;

/**
 * How the embedded engine is kept.
 *
 * @param log the log's own options; without fsync the whole engine is ephemeral
 */
public record EngineOptions(
    LogOptions log,
    Limits limits,
    Checkpoints checkpoints,
    Compacting compacting,
    Maps maps,
    Points points) {
  private static final long MEGABYTE = 1L << 20;
  private static final long GIGABYTE = 1L << 30;

  /**
   * What partitions may grow to.
   *
   * @param logicalPartitionBytes the documents of one partition key; writes beyond are refused
   * @param physicalPartitionBytes a physical partition; a larger one is split by itself
   */
  public record Limits(long logicalPartitionBytes, long physicalPartitionBytes) {}

  /**
   * When structures are saved, which bounds the time of a recovery.
   *
   * @param logBytes how much log may be written between two checkpoints
   * @param millis how long a change may wait for a checkpoint
   */
  public record Checkpoints(long logBytes, long millis) {}

  /**
   * How dead documents are removed.
   *
   * @param feedBytes how much of the newest log is left alone, for readers of changes
   * @param feedMillis how long it is, at the most
   */
  public record Compacting(long feedBytes, long feedMillis) {
    /** As many bytes as a tenth of what is free on the disk at the start. */
    public static final long TENTH_OF_DISK = -1;

    /** Left alone for ever. */
    public Compacting(long feedBytes) {
      this(feedBytes, Long.MAX_VALUE);
    }
  }

  /**
   * How the maps of keys grow. Smaller numbers are for tests.
   *
   * @param heapEntries what is held on the heap, before there is a file
   * @param bucketEntries what is held in one file, before there are two
   */
  public record Maps(int heapEntries, int bucketEntries) {
    /** There is never a file. */
    public static final Maps ON_HEAP = new Maps(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  /**
   * What is kept for those who read at a point in the past.
   *
   * @param historyBytes how much memory it may take, before the oldest of them is given up
   */
  public record Points(long historyBytes) {}

  public static EngineOptions defaults() {
    return new EngineOptions(
        LogOptions.defaults(),
        new Limits(20 * GIGABYTE, 50 * GIGABYTE),
        new Checkpoints(256 * MEGABYTE, 60_000),
        new Compacting(0),
        new Maps(KeyIndexOptions.HEAP_ENTRIES_MAX, KeyIndexOptions.BUCKET_ENTRIES_MAX),
        new Points(Runtime.getRuntime().maxMemory() / 16));
  }

  public EngineOptions with(LogOptions changed) {
    return new EngineOptions(changed, limits, checkpoints, compacting, maps, points);
  }

  public EngineOptions with(Limits changed) {
    return new EngineOptions(log, changed, checkpoints, compacting, maps, points);
  }

  public EngineOptions with(Checkpoints changed) {
    return new EngineOptions(log, limits, changed, compacting, maps, points);
  }

  public EngineOptions with(Compacting changed) {
    return new EngineOptions(log, limits, checkpoints, changed, maps, points);
  }

  public EngineOptions with(Maps changed) {
    return new EngineOptions(log, limits, checkpoints, compacting, changed, points);
  }

  public EngineOptions with(Points changed) {
    return new EngineOptions(log, limits, checkpoints, compacting, maps, changed);
  }

  boolean isDurable() {
    return log.fsync();
  }

  StructureOptions structures() {
    return new StructureOptions(isDurable(), maps.heapEntries(), maps.bucketEntries());
  }

  UpkeepOptions upkeep(int segmentBytes, long freeBytes) {
    boolean isShare = compacting.feedBytes() == Compacting.TENTH_OF_DISK;
    long feedBytes = isShare ? freeBytes / 10 : compacting.feedBytes();
    return new UpkeepOptions(
        checkpoints.logBytes(),
        checkpoints.millis(),
        new UpkeepOptions.Feed(feedBytes, compacting.feedMillis()),
        segmentBytes);
  }
}
