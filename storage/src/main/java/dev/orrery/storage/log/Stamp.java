package dev.orrery.storage.log;

/**
 * What tells one group from all others.
 *
 * @param lsn its log sequence number
 * @param millis when it was appended, by a clock that is never set back
 * @param time its cluster time: seconds in the upper half, a counter in the lower, later than that
 *     of every group before
 */
public record Stamp(long lsn, long millis, long time) {}
