package dev.orrery.storage;

import dev.orrery.lane.Lane;
import java.util.concurrent.CompletionStage;

/**
 * Entries of one ordered index of one partition, in the order of the scan. When the partition is
 * split the cursor goes on with its children, merged. Not shared between threads.
 */
public interface IndexCursor {
  /**
   * Moves to the next of the entries that are at hand; false when there is none: then {@link #load}
   * tells whether there are more.
   */
  boolean next(WorkMeter meter);

  /** Gets more entries; false at the end. */
  CompletionStage<Boolean> load(WorkMeter meter);

  /** Moves to the next entry; false at the end. Waits where this thread may. */
  default boolean awaitNext(WorkMeter meter) {
    boolean isThere = next(meter);
    while (!isThere && Lane.await(load(meter))) {
      isThere = next(meter);
    }
    return isThere;
  }

  /** The encoded key of the entry; owned by the caller. */
  byte[] key();

  /**
   * The record of the entry, to be {@linkplain PartitionStore#fetch fetched} from the partition
   * that is scanned. Its document may have changed since the entry was read, so the caller checks
   * again what the key seemed to promise.
   */
  long recordId();

  /** What the fields of the index met, this entry included. */
  PartitionStore.FieldsSeen fieldsSeen();

  /**
   * Goes on at the first entry, in the direction of the scan, that is not before {@code key}; never
   * backwards.
   */
  void seek(byte[] key);
}
