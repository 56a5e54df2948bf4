package dev.orrery.storage.physical;

import dev.orrery.storage.DiskRoom;
import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses writes while the disk is almost full. The log could tell by itself, but the maps are
 * sparse files that are mapped into memory: filling a hole of one on a full disk would end the
 * process.
 */
public final class DiskSpace {
  private static final long RESERVE_BYTES_MAX = 64L << 20;

  /** What a checkpoint and the compaction of a small store need, unless the disk is tiny. */
  private static final long RESERVE_BYTES_MIN = 4L << 20;

  private static final long CHECK_NANOS = 20_000_000;

  /** A disk has room for so many segments at the least, so that moving one takes little of it. */
  private static final int SEGMENTS_MIN = 32;

  private static final int SEGMENT_BYTES_MIN = 1 << 20;

  private final Path directory;
  private final FileStore store;
  private final long reserveBytes;
  private final long totalBytes;
  private final AtomicLong nextCheckNanos = new AtomicLong(System.nanoTime());
  private final AtomicLong usableBytes = new AtomicLong();

  private final BooleanSupplier isPretended;

  private DiskSpace(Path directory, FileStore store, long totalBytes, BooleanSupplier isPretended) {
    this.directory = directory;
    this.store = store;
    this.totalBytes = totalBytes;
    this.isPretended = isPretended;
    this.reserveBytes = reserveOf(totalBytes);
  }

  /**
   * The disk of a directory, which is created if need be.
   *
   * @param isPretended whether it shall be as if no room were left but for deletes
   */
  public static DiskSpace of(Path directory, BooleanSupplier isPretended) {
    try {
      PrivateFiles.createDirectories(directory);
      FileStore store = Files.getFileStore(directory);
      return new DiskSpace(directory, store, store.getTotalSpace(), isPretended);
    } catch (IOException e) {
      throw new StorageException(
          StorageException.Reason.IO, "cannot tell the disk of " + directory, e);
    }
  }

  /** One part in fifty, and on tiny volumes one in eight: less would not do for a checkpoint. */
  private static long reserveOf(long totalBytes) {
    long enough = Math.min(RESERVE_BYTES_MIN, totalBytes / 8);
    return Math.min(RESERVE_BYTES_MAX, Math.max(enough, totalBytes / 50));
  }

  /** How large a segment of the log should be here at the most. */
  public int segmentBytesMax() {
    long bytes = Math.max(SEGMENT_BYTES_MIN, totalBytes / SEGMENTS_MIN);
    return (int) Math.min(Integer.MAX_VALUE, bytes);
  }

  /** How much may be moved to the end of the log before something can be deleted for it. */
  public long roomForMoves() {
    look();
    return usableBytes.get() - reserveBytes / 2;
  }

  /** How much of the whole file system is taken. */
  public DiskRoom room() {
    look();
    return new DiskRoom(totalBytes - usableBytes.get(), totalBytes);
  }

  /** Whether inserts and updates are refused. */
  public boolean isFull() {
    look();
    return usableBytes.get() < reserveBytes;
  }

  /** Whether writes are, or soon will be, refused: what is dead should make room. */
  public boolean isLow() {
    look();
    return usableBytes.get() < reserveBytes + reserveBytes / 4;
  }

  /**
   * Throws DISK_FULL while less than the reserve is free.
   *
   * @param bytes how much is about to be written
   */
  public void require(long bytes) {
    require(reserveBytes, bytes);
  }

  /**
   * The same for a batch. Deletes take little and make room, so they may use most of the reserve.
   */
  public void require(WriteBatch batch) {
    long bytes = bytesAdded(batch);
    require(bytes == 0 ? reserveBytes / 4 : reserveBytes, bytes);
  }

  private void require(long reserve, long bytes) {
    long now = System.nanoTime();
    long due = nextCheckNanos.get();
    if (isPretended.getAsBoolean()) {
      look();
    } else if (now - due >= 0 && nextCheckNanos.compareAndSet(due, now + CHECK_NANOS)) {
      look();
    }
    // Between two looks much can be written: the log takes the document once, indexes a part of it.
    if (usableBytes.addAndGet(-2 * bytes) < reserve) {
      look();
      if (usableBytes.get() < reserve) {
        throw new StorageException(
            StorageException.Reason.DISK_FULL,
            "the disk of "
                + directory
                + " is full: less than "
                + (reserve >> 10)
                + " KB are free; make room to write again");
      }
    }
  }

  /** What is free on the disk now. */
  public long freeBytes() {
    look();
    return usableBytes.get();
  }

  private void look() {
    try {
      long free = store.getUsableSpace();
      usableBytes.set(isPretended.getAsBoolean() ? Math.min(free, reserveBytes / 2) : free);
    } catch (IOException e) {
      throw new StorageException(
          StorageException.Reason.IO, "cannot tell the free space of " + directory, e);
    }
  }

  /** What the JVM's word for a page of a mapped file means that got no room on the disk. */
  public static StorageException noPage(Path directory, InternalError failure) {
    if (!String.valueOf(failure.getMessage()).contains("unsafe memory access")) {
      throw failure;
    }
    return new StorageException(
        StorageException.Reason.DISK_FULL,
        "no space on the disk of " + directory + ": a mapped file could not be filled; make room",
        failure);
  }

  private static long bytesAdded(WriteBatch batch) {
    long bytes = 0;
    for (WriteOperation operation : batch.operations()) {
      if (operation instanceof WriteOperation.Insert insert) {
        bytes += insert.document().length();
      } else if (operation instanceof WriteOperation.Replace replace) {
        bytes += replace.after().length();
      }
    }
    return bytes;
  }

  /** What the files below a directory really occupy is not known to Java; their lengths are. */
  public static long usedBytes(Path directory) {
    var sum = new FileSizes();
    try {
      Files.walkFileTree(directory, sum);
      return sum.bytes;
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "cannot walk " + directory, e);
    }
  }

  /**
   * Adds up the lengths of files. What is deleted meanwhile, a whole folder too, counts no more.
   */
  private static final class FileSizes extends SimpleFileVisitor<Path> {
    long bytes;

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      bytes += attributes.isRegularFile() ? attributes.size() : 0;
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
        throws IOException {
      return failure == null ? FileVisitResult.CONTINUE : visitFileFailed(folder, failure);
    }
  }
}
