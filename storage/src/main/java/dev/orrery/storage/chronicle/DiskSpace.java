package dev.orrery.storage.chronicle;

import dev.orrery.storage.StorageException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Refuses writes while the disk is almost full. The log could tell by itself, but the maps are
 * sparse files that are mapped into memory: filling a hole of one on a full disk would end the
 * process.
 */
final class DiskSpace {
  private static final long RESERVE_BYTES_MAX = 64L << 20;
  private static final long CHECK_NANOS = 20_000_000;

  private final Path directory;
  private final FileStore store;
  private final long reserveBytes;
  private final AtomicLong nextCheckNanos = new AtomicLong(System.nanoTime());
  private volatile long usableBytes = Long.MAX_VALUE;

  DiskSpace(Path directory) {
    this.directory = directory;
    try {
      this.store = Files.getFileStore(directory);
      // One part in fifty of a small disk, so that tests and tiny volumes work too.
      this.reserveBytes = Math.min(RESERVE_BYTES_MAX, store.getTotalSpace() / 50);
    } catch (IOException e) {
      throw new StorageException(
          StorageException.Reason.IO, "cannot tell the disk of " + directory, e);
    }
  }

  /** Throws DISK_FULL while less than the reserve is free. */
  void require() {
    long now = System.nanoTime();
    long due = nextCheckNanos.get();
    if (now - due >= 0 && nextCheckNanos.compareAndSet(due, now + CHECK_NANOS)) {
      usableBytes = usable();
    }
    if (usableBytes < reserveBytes) {
      throw new StorageException(
          StorageException.Reason.DISK_FULL,
          "the disk of "
              + directory
              + " is full: less than "
              + (reserveBytes >> 20)
              + " MB are free; make room to write again");
    }
  }

  private long usable() {
    try {
      return store.getUsableSpace();
    } catch (IOException e) {
      throw new StorageException(
          StorageException.Reason.IO, "cannot tell the free space of " + directory, e);
    }
  }

  /** What the files below a directory really occupy is not known to Java; their lengths are. */
  static long usedBytes(Path directory) {
    try (Stream<Path> paths = Files.walk(directory)) {
      long sum = 0;
      for (Path path : (Iterable<Path>) paths::iterator) {
        try {
          sum += Files.isRegularFile(path) ? Files.size(path) : 0;
        } catch (NoSuchFileException e) {
          continue; // deleted while we walked
        }
      }
      return sum;
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot walk " + directory, e);
    }
  }
}
