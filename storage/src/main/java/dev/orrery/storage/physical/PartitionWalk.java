package dev.orrery.storage.physical;

import java.util.function.LongConsumer;

/**
 * Goes upward through all records of a partition while others read and write it: a few at a time,
 * under its lock.
 */
public final class PartitionWalk {
  private static final int SLICE_RECORDS = 64;

  private final PhysicalPartition partition;
  private final long[] ids = new long[SLICE_RECORDS];
  private final long[] positions = new long[SLICE_RECORDS];
  private long next = 1;
  private long visited;
  private long records;

  public PartitionWalk(PhysicalPartition partition) {
    this.partition = partition;
  }

  /**
   * Visits some more records.
   *
   * @param check called under the lock before anything else
   * @return false when there are no more
   */
  public boolean slice(Runnable check, LongConsumer visitor) {
    int count;
    partition.lock.lock();
    try {
      check.run();
      count = partition.files().slots().scanUp(next, ids, positions);
      for (int i = 0; i < count; i++) {
        visitor.accept(ids[i]);
        next = ids[i] + 1;
      }
      visited += count;
      records = partition.files().slots().count();
    } finally {
      partition.lock.unlock();
    }
    partition.letOthersIn();
    return count > 0;
  }

  /** About how much of the partition was visited, from 0 to 1. */
  public double done() {
    return Math.min(1, visited / Math.max(1.0, records));
  }
}
