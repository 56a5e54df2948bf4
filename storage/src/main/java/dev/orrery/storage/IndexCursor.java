package dev.orrery.storage;

/**
 * Entries of one ordered index of one partition, in the order of the scan. When the partition is
 * split the cursor goes on with its children, merged. Not shared between threads.
 */
public interface IndexCursor {
  /** Moves to the next entry inside the bounds; false at the end. */
  boolean next(WorkMeter meter);

  /** The encoded key of the entry; owned by the caller. */
  byte[] key();

  long recordId();

  /** What the fields of the index met, this entry included. */
  PartitionStore.FieldsSeen fieldsSeen();

  /**
   * The document behind the entry, or null when it is gone. It may have changed since the entry was
   * read, so the caller checks again what the key seemed to promise.
   */
  StoredDocument fetch(WorkMeter meter);

  /**
   * Goes on at the first entry, in the direction of the scan, that is not before {@code key}; never
   * backwards.
   */
  void seek(byte[] key);
}
