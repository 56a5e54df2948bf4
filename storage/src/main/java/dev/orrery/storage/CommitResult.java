package dev.orrery.storage;

import java.util.List;

/**
 * The end of a batch: one outcome for each operation, in order, and the log sequence number of the
 * group and its cluster time, or 0 when nothing was written. What was applied is visible at once;
 * it is durable when {@link StorageEngine#whenDurable} says so.
 *
 * @param partitions the physical partition of each operation; there may be more of them
 */
public record CommitResult(long lsn, long time, List<WriteOutcome> outcomes, int[] partitions) {}
