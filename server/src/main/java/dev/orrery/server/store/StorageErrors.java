package dev.orrery.server.store;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.StorageException;

/** What a failure of storage is called on the wire. */
public final class StorageErrors {
  private StorageErrors() {}

  public static CommandException toCommandException(StorageException failure) {
    String words =
        failure.reason() == StorageException.Reason.INDEX_DROPPED
            ? "query plan killed :: " + failure.getMessage()
            : failure.getMessage();
    return new CommandException(codeOf(failure.reason()), words);
  }

  /** Whether somebody should look after the server, or else only came too late. */
  public static boolean isAlarming(StorageException failure) {
    return switch (failure.reason()) {
      case COLLECTION_DROPPED, IDS_SPENT, INDEX_DROPPED, PARTITION_REPLACED, POINT_LOST -> false;
      case CORRUPT, DISK_FULL, IO, KEY_CHANGED, KEY_HAS_ARRAY, LOG_TRIMMED, UNAVAILABLE, UNUSABLE ->
          true;
    };
  }

  private static ErrorCode codeOf(StorageException.Reason reason) {
    return switch (reason) {
      case COLLECTION_DROPPED -> ErrorCode.NAMESPACE_NOT_FOUND;
      case CORRUPT -> ErrorCode.DATA_CORRUPTION_DETECTED;
      case DISK_FULL -> ErrorCode.OUT_OF_DISK_SPACE;
      case IDS_SPENT -> ErrorCode.ILLEGAL_OPERATION;
      case INDEX_DROPPED -> ErrorCode.QUERY_PLAN_KILLED;
      case IO -> ErrorCode.OPERATION_FAILED;
      case KEY_CHANGED -> ErrorCode.IMMUTABLE_FIELD;
      case KEY_HAS_ARRAY -> ErrorCode.SHARD_KEY_NOT_FOUND;
      case LOG_TRIMMED -> ErrorCode.CHANGE_STREAM_HISTORY_LOST;
      case PARTITION_REPLACED -> ErrorCode.CONFLICTING_OPERATION_IN_PROGRESS;
      case POINT_LOST -> ErrorCode.SNAPSHOT_TOO_OLD;
      // Drivers take it as a reason to try again elsewhere, or later.
      case UNAVAILABLE -> ErrorCode.SHUTDOWN_IN_PROGRESS;
      case UNUSABLE -> ErrorCode.INTERNAL_ERROR;
    };
  }
}
