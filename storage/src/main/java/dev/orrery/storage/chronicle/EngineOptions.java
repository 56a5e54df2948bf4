package dev.orrery.storage.chronicle;

import dev.orrery.storage.log.LogOptions;

/**
 * How the embedded engine is kept.
 *
 * @param log the log's own options; without fsync the whole engine is ephemeral
 * @param logicalPartitionBytesMax what the documents of one partition key may take
 * @param checkpointBytes how much log may be written between two checkpoints: bounds recovery
 * @param checkpointMillis how long a change may wait for a checkpoint
 * @param compactionBytesPerSecond how fast live documents are moved out of mostly dead segments
 * @param feedBytes how much of the newest log compaction leaves alone, for readers of changes
 */
public record EngineOptions(
    LogOptions log,
    long logicalPartitionBytesMax,
    long checkpointBytes,
    long checkpointMillis,
    long compactionBytesPerSecond,
    long feedBytes) {
  private static final long MEGABYTE = 1L << 20;
  private static final long GIGABYTE = 1L << 30;

  public static EngineOptions defaults() {
    return new EngineOptions(
        LogOptions.defaults(), 20 * GIGABYTE, 256 * MEGABYTE, 60_000, 64 * MEGABYTE, 0);
  }

  public EngineOptions withLog(LogOptions changed) {
    return new EngineOptions(
        changed,
        logicalPartitionBytesMax,
        checkpointBytes,
        checkpointMillis,
        compactionBytesPerSecond,
        feedBytes);
  }

  public EngineOptions withLogicalPartitionBytesMax(long bytes) {
    return new EngineOptions(
        log, bytes, checkpointBytes, checkpointMillis, compactionBytesPerSecond, feedBytes);
  }

  public EngineOptions withCheckpoint(long bytes, long millis) {
    return new EngineOptions(
        log, logicalPartitionBytesMax, bytes, millis, compactionBytesPerSecond, feedBytes);
  }

  public EngineOptions withCompaction(long bytesPerSecond, long feed) {
    return new EngineOptions(
        log, logicalPartitionBytesMax, checkpointBytes, checkpointMillis, bytesPerSecond, feed);
  }

  boolean isDurable() {
    return log.fsync();
  }
}
