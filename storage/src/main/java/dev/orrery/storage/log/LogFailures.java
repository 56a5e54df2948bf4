package dev.orrery.storage.log;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;

/** Failures of the file system and of the bytes in it, as {@link StorageException}s. */
final class LogFailures {

  /** The JDK gives no error numbers, only the C library's words. */
  private static final List<String> NO_ROOM =
      List.of(
          "No space left on device",
          "Disk quota exceeded",
          "not enough space on the disk",
          "Operation not permitted",
          "Read-only file system");

  private static final List<String> UNREADABLE = List.of("Is a directory", "Input/output error");

  private LogFailures() {}

  static StorageException io(String doing, Path path, IOException cause) {
    String words = String.valueOf(cause.getMessage());
    return new StorageException(
        isNoRoom(cause) ? Reason.DISK_FULL : Reason.IO, doing + " " + path + ": " + words, cause);
  }

  /** Whether writing less, or later, may succeed. */
  static boolean isNoRoom(IOException cause) {
    String words = String.valueOf(cause.getMessage());
    return cause instanceof AccessDeniedException || NO_ROOM.stream().anyMatch(words::contains);
  }

  /**
   * A file of the log that cannot be opened or read, as a directory has its name, its owner may
   * not, or the device does not give it: it is as good as damaged. Not so when the process has too
   * many open files, or the like.
   */
  static StorageException unreadable(Path path, IOException cause) throws IOException {
    String words = String.valueOf(cause.getMessage());
    boolean isOfTheFile =
        cause instanceof AccessDeniedException || UNREADABLE.stream().anyMatch(words::contains);
    if (!isOfTheFile) {
      throw cause;
    }
    return corrupt(path, 0, "it cannot be read: " + reason(cause));
  }

  /** Without the path, which the message of a file system's exception begins with. */
  private static String reason(IOException cause) {
    if (cause instanceof AccessDeniedException) {
      return "Permission denied";
    }
    return cause instanceof FileSystemException system && system.getReason() != null
        ? system.getReason()
        : String.valueOf(cause.getMessage());
  }

  static StorageException corrupt(Path path, long offset, String what) {
    return new StorageException(Reason.CORRUPT, describe(path, offset, what) + Advice.DAMAGED);
  }

  static StorageException bad(Path path, Format.BadBytes bad) {
    return new StorageException(
        bad.reason, describe(path, bad.offset, bad.getMessage()) + bad.advice);
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
