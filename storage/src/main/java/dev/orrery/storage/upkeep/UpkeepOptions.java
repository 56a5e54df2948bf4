package dev.orrery.storage.upkeep;

/**
 * When structures are saved and dead documents removed.
 *
 * @param checkpointBytes how much log may be written between two checkpoints
 * @param checkpointMillis how long a change may wait for a checkpoint
 * @param feed how much of the newest log is left alone, for readers of changes
 * @param segmentBytes how large segments of the log are
 */
public record UpkeepOptions(
    long checkpointBytes, long checkpointMillis, Feed feed, int segmentBytes) {
  /** What is younger than so many milliseconds, but not more than so many bytes. */
  public record Feed(long bytes, long millis) {}
}
