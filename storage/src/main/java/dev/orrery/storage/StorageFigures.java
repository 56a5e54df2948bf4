package dev.orrery.storage;

/**
 * What an engine has on disk, as far as it can tell at once.
 *
 * @param logBytes of the log, garbage included
 * @param deadBytes of the log that are garbage, about
 * @param freeBytes of the disk that holds the log
 * @param isFull whether writes are refused for want of room
 */
public record StorageFigures(
    long logBytes, int logSegments, long deadBytes, long freeBytes, boolean isFull) {
  /** Of an engine that keeps its data elsewhere. */
  public static final StorageFigures UNKNOWN = new StorageFigures(-1, -1, -1, -1, false);
}
