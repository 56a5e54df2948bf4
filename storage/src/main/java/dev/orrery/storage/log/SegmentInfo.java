package dev.orrery.storage.log;

/**
 * One segment as it is now. An empty segment has {@code lastLsn == firstLsn - 1}.
 *
 * @param bytes from the file's start to the end of its last group
 * @param createdMillis when the segment was begun
 * @param lastMillis the timestamp of its last group, or {@code createdMillis} if it has none
 * @param sealed whether it is complete: only sealed segments can be deleted
 */
public record SegmentInfo(
    long number,
    long firstLsn,
    long lastLsn,
    long bytes,
    long createdMillis,
    long lastMillis,
    boolean sealed) {}
