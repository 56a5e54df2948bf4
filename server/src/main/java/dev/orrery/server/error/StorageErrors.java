package dev.orrery.server.error;

import dev.orrery.storage.StorageException;

/** What a failure of storage is called on the wire. */
public final class StorageErrors {
  private StorageErrors() {}

  public static CommandException toCommandException(StorageException failure) {
    return new CommandException(codeOf(failure.reason()), failure.getMessage());
  }

  private static ErrorCode codeOf(StorageException.Reason reason) {
    return switch (reason) {
      case CORRUPT -> ErrorCode.DATA_CORRUPTION_DETECTED;
      case DISK_FULL -> ErrorCode.OUT_OF_DISK_SPACE;
      case GONE -> ErrorCode.CHANGE_STREAM_HISTORY_LOST;
      case IO -> ErrorCode.OPERATION_FAILED;
      // Drivers take it as a reason to try again elsewhere, or later.
      case UNAVAILABLE -> ErrorCode.SHUTDOWN_IN_PROGRESS;
      case UNUSABLE -> ErrorCode.INTERNAL_ERROR;
    };
  }
}
