package dev.orrery.storage;

import java.util.List;

/**
 * The end of a batch: one outcome for each operation, in order, and the receipt of what was
 * applied, which is visible at once and durable when the receipt says so; {@link Receipt#NONE} when
 * nothing was.
 *
 * @param partitions the physical partition of each operation; there may be more of them
 */
public record CommitResult(Receipt receipt, List<WriteOutcome> outcomes, int[] partitions) {}
