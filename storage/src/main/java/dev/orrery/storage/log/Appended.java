package dev.orrery.storage.log;

/** Where a group went: its LSN, and the position of each of its records in their order. */
public record Appended(long lsn, long[] positions) {}
