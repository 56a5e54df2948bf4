package dev.orrery.storage;

import java.util.Objects;

/** A failure of storage, with the few reasons that callers tell apart. */
public final class StorageException extends RuntimeException {
  /** Why storage refused or failed. */
  public enum Reason {
    /** Bytes on disk are not what was written; the message names file and offset. */
    CORRUPT,
    /** No room (or no right) to write; nothing was changed, and writing may work again later. */
    DISK_FULL,
    /** What is asked for was deleted by retention or compaction. */
    GONE,
    /** Reading or writing a file failed. */
    IO,
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
