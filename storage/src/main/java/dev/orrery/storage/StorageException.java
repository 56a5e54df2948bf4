package dev.orrery.storage;

import java.util.Objects;

/** A failure of storage, with the few reasons that callers tell apart. */
public final class StorageException extends RuntimeException {
  /** Why storage refused or failed. */
  public enum Reason {
    /** The collection was dropped; nothing was changed. */
    COLLECTION_DROPPED,
    /** Bytes on disk are not what was written; the message names file and offset. */
    CORRUPT,
    /** No room (or no right) to write; nothing was changed, and writing may work again later. */
    DISK_FULL,
    /** The numbers that records of one partition can have are used up by merges. */
    IDS_SPENT,
    /** The index was dropped, or its place was taken by another one of the same name. */
    INDEX_DROPPED,
    /** Reading or writing a file failed. */
    IO,
    /** A replacement has another primary key than the document that it replaces. */
    KEY_CHANGED,
    /** There is an array on the path of the document's partition key. */
    KEY_HAS_ARRAY,
    /** That part of the log was deleted by retention or compaction. */
    LOG_TRIMMED,
    /** The partition was split or merged: others have its documents now. */
    PARTITION_REPLACED,
    /** What is read at a point is no longer kept, or was made anew after it. */
    POINT_LOST,
    /** The store is closed, or stopped taking writes after a failed fsync. */
    UNAVAILABLE,
    /** The directory belongs to another process or was written by a newer version. */
    UNUSABLE
  }

  private final Reason reason;

  public StorageException(Reason reason, String message) {
    this(reason, message, null);
  }

  public StorageException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason);
  }

  public Reason reason() {
    return reason;
  }
}
