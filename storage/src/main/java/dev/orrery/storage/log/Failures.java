package dev.orrery.storage.log;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.List;

/** Failures of the file system and of the bytes in it, as {@link StorageException}s. */
final class Failures {

  /** The JDK gives no error numbers, only the C library's words. */
  private static final List<String> NO_ROOM =
      List.of(
          "No space left on device",
          "Disk quota exceeded",
          "not enough space on the disk",
          "Operation not permitted",
          "Read-only file system");

  private Failures() {}

  static StorageException io(String doing, Path path, IOException cause) {
    String words = String.valueOf(cause.getMessage());
    boolean noRoom =
        cause instanceof AccessDeniedException || NO_ROOM.stream().anyMatch(words::contains);
    return new StorageException(
        noRoom ? Reason.DISK_FULL : Reason.IO, doing + " " + path + ": " + words, cause);
  }

  static StorageException corrupt(Path path, long offset, String what) {
    return new StorageException(Reason.CORRUPT, describe(path, offset, what) + Advice.DAMAGED);
  }

  static StorageException bad(Path path, Format.BadBytes bad) {
    String advice = bad.reason == Reason.CORRUPT ? Advice.DAMAGED : Advice.NEWER;
    return new StorageException(bad.reason, describe(path, bad.offset, bad.getMessage()) + advice);
  }

  private static String describe(Path path, long offset, String what) {
    return path + " at offset " + offset + ": " + what;
  }

  static StorageException gone(String what) {
    return new StorageException(Reason.LOG_TRIMMED, what + " is no longer in the log");
  }

  static StorageException closed() {
    return new StorageException(Reason.UNAVAILABLE, "the log is closed");
  }
}
