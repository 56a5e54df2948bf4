package dev.orrery.storage.index;

import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The last checkpoint of a page file on disk: one file of checksummed pages, mapped read-only once
 * it is larger than a few pages. No descriptor stays open.
 *
 * <p>A small or new image is replaced by rename. A larger one is changed in place behind a {@link
 * PageFileJournal}; pages beyond its old end need no journal, as the old header does not reach
 * them.
 */
final class PageFileImage {
  /** Up to this many pages an image is read into memory and rewritten whole. */
  static final int SMALL_PAGES = 16;

  private static final int MAP_SHIFT = 14; // pages of a mapping: 64 MiB
  private static final int MAP_PAGES = 1 << MAP_SHIFT;

  private final Path file;
  private final PageFileJournal journal;
  private final boolean isDurable;
  private boolean isInTheWay; // what has our name is another image
  private PageFileHeader header;
  private int journaledPages; // pages that a header on disk, or in a journal, may reach
  private MappedByteBuffer[] maps = new MappedByteBuffer[0];

  private PageFileImage(Path file, boolean isDurable) {
    this.file = file;
    this.isDurable = isDurable;
    this.journal = new PageFileJournal(file, isDurable);
  }

  /**
   * Finishes an interrupted checkpoint, then reads the header; a missing file is an empty image.
   *
   * @param owner who must have written it
   */
  static PageFileImage open(Path file, PageFileKind kind, FileOwner owner, boolean isDurable) {
    var image = new PageFileImage(file, isDurable);
    try {
      image.journal.recover();
      Files.deleteIfExists(image.temporary());
      image.header = image.readHeader(kind);
      image.requireOwner(owner);
      image.journaledPages = image.header.pageCount();
      if (!image.isSmall()) {
        image.map(image.header.pageCount());
      }
      return image;
    } catch (IOException e) {
      throw failure(file, "cannot open", e);
    }
  }

  /**
   * An image without pages in the place of whatever is there, which stays until the first write.
   */
  static PageFileImage empty(Path file, PageFileKind kind, boolean isDurable) {
    var image = new PageFileImage(file, isDurable);
    image.header = PageFileHeader.empty(kind);
    image.journaledPages = image.header.pageCount();
    image.isInTheWay = true;
    return image;
  }

  PageFileHeader header() {
    return header;
  }

  /** Whether all pages of this image live in memory and the next checkpoint replaces the file. */
  boolean isSmall() {
    return header.pageCount() <= SMALL_PAGES;
  }

  /** The mapping around a page of an image that is not small. */
  ByteBuffer buffer(int page) {
    return maps[page >>> MAP_SHIFT];
  }

  static int offset(int page) {
    return (page & (MAP_PAGES - 1)) << PageFile.PAGE_SHIFT;
  }

  void verify(int page) {
    requireIntact(buffer(page), offset(page), page);
  }

  /** Reads the pages of a small image, page 0 included, each of them verified. */
  ByteBuffer readSmall() {
    ByteBuffer all = ByteBuffer.allocate(header.pageCount() << PageFile.PAGE_SHIFT);
    if (header.pageCount() > 1) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        readFully(channel, all, 0);
      } catch (IOException e) {
        throw failure(file, "cannot read", e);
      }
      for (int page = 0; page < header.pageCount(); page++) {
        requireIntact(all, page << PageFile.PAGE_SHIFT, page);
      }
    }
    return all;
  }

  /** Makes the checkpoint durable. Readers still see the old pages through their frames. */
  void write(PageFileCheckpoint checkpoint) {
    try {
      checkpoint.seal();
      if (isSmall()) {
        replace(checkpoint);
      } else {
        update(checkpoint);
      }
    } catch (IOException e) {
      dropUnfinished(e);
      throw failure(file, "cannot write checkpoint", e);
    }
  }

  /** What was written in vain takes room that others need where the disk is full. */
  private void dropUnfinished(IOException cause) {
    try {
      Files.deleteIfExists(temporary());
      journal.deleteUnfinished();
    } catch (IOException e) {
      cause.addSuppressed(e); // the next checkpoint writes over it
    }
  }

  /** Shows the written checkpoint to readers; the caller holds them off. */
  void adopt(PageFileHeader written) {
    boolean mustRemap =
        isSmall() || written.pageCount() > maps.length << MAP_SHIFT || isMapShort(written);
    if (written.pageCount() > SMALL_PAGES && mustRemap) {
      try {
        map(written.pageCount());
      } catch (IOException e) {
        throw failure(file, "cannot map", e);
      }
    }
    header = written;
  }

  /** Gives the disk space back at once, even while an old mapping waits for the collector. */
  void delete() {
    try {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.isWritable(file)) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(0);
        }
      }
      PrivateFiles.delete(file);
      journal.delete(); // not before the image, which it may have to complete
      PrivateFiles.delete(temporary());
    } catch (IOException e) {
      throw failure(file, "cannot delete", e);
    }
  }

  private boolean isMapShort(PageFileHeader written) {
    int last = written.pageCount() - 1;
    MappedByteBuffer map = maps[last >>> MAP_SHIFT];
    return map.capacity() <= offset(last);
  }

  private void replace(PageFileCheckpoint checkpoint) throws IOException {
    Path temporary = temporary();
    if (isInTheWay) {
      PrivateFiles.delete(temporary); // it need not be a file
    }
    try (FileChannel channel = PrivateFiles.create(temporary)) {
      var output = new PageFileOutput(channel);
      checkpoint.writePages(output, 0);
      output.flush();
      grow(channel, checkpoint.header().pageCount());
      force(channel);
    }
    if (isInTheWay) {
      PrivateFiles.delete(file);
      journal.delete(); // after the image: it may have to complete it, but never ours
      isInTheWay = false;
    }
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    journaledPages = checkpoint.header().pageCount();
    if (isDurable) {
      syncDirectory(file);
    }
  }

  private void update(PageFileCheckpoint checkpoint) throws IOException {
    journal.recover(); // an earlier attempt may have failed between its journal and the image
    int oldPages = journaledPages;
    int newPages = checkpoint.header().pageCount();
    if (newPages > oldPages) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        var output = new PageFileOutput(channel);
        checkpoint.writePages(output, oldPages);
        output.flush();
        grow(channel, newPages);
        force(channel);
      }
    }
    journaledPages = Math.max(oldPages, newPages);
    journal.write(checkpoint, oldPages);
    journal.apply();
  }

  /** Leaves a hole behind the last page, so that growing does not mean mapping anew each time. */
  private static void grow(FileChannel channel, int pageCount) throws IOException {
    if (pageCount <= SMALL_PAGES) {
      return;
    }
    int capacity =
        pageCount >= MAP_PAGES
            ? (pageCount + MAP_PAGES - 1) & -MAP_PAGES
            : Integer.highestOneBit(pageCount) << 1;
    long bytes = (long) capacity << PageFile.PAGE_SHIFT;
    if (channel.size() < bytes) {
      channel.write(ByteBuffer.allocate(1), bytes - 1);
    }
  }

  private void force(FileChannel channel) throws IOException {
    if (isDurable) {
      channel.force(true);
    }
  }

  private void map(int pageCount) throws IOException {
    int count = (pageCount + MAP_PAGES - 1) >>> MAP_SHIFT;
    MappedByteBuffer[] next = Arrays.copyOf(maps, count);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      requireLength(channel.size(), pageCount);
      for (int i = 0; i < count; i++) {
        long start = (long) i << (MAP_SHIFT + PageFile.PAGE_SHIFT);
        long size = Math.min(channel.size() - start, (long) MAP_PAGES << PageFile.PAGE_SHIFT);
        if (next[i] == null || next[i].capacity() < size) {
          next[i] = channel.map(MapMode.READ_ONLY, start, size);
        }
      }
    }
    maps = next;
  }

  private PageFileHeader readHeader(PageFileKind kind) throws IOException {
    ByteBuffer page = ByteBuffer.allocate(PageFile.PAGE_SIZE);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      requireLength(channel.size(), 1);
      readFully(channel, page, 0);
      requireIntact(page, 0, 0);
      PageFileHeader read = PageFileHeader.decode(page, kind, file);
      requireLength(channel.size(), read.pageCount());
      return read;
    } catch (NoSuchFileException e) {
      return PageFileHeader.empty(kind);
    }
  }

  private void requireOwner(FileOwner owner) {
    String objection = owner.objection(header.stamp().owner());
    if (objection != null) {
      throw corrupt(file, 0, objection);
    }
  }

  private void requireLength(long bytes, int pageCount) {
    if (bytes < (long) pageCount << PageFile.PAGE_SHIFT) {
      throw corrupt(file, bytes, "ends before page " + (pageCount - 1));
    }
  }

  private void requireIntact(ByteBuffer buffer, int offset, int page) {
    if (buffer.getInt(offset + PageFile.LIMIT) != checksum(buffer, offset, page)) {
      throw corrupt(file, (long) page << PageFile.PAGE_SHIFT, "page checksum does not match");
    }
  }

  private Path temporary() {
    return file.resolveSibling(file.getFileName() + ".new");
  }

  /** Covers the page's number too, so that a page written to the wrong place is noticed. */
  static int checksum(ByteBuffer buffer, int offset, int page) {
    var crc = new CRC32C();
    ByteBuffer content = buffer.duplicate();
    content.limit(offset + PageFile.LIMIT).position(offset);
    crc.update(content);
    crc.update(page >>> 24);
    crc.update(page >>> 16);
    crc.update(page >>> 8);
    crc.update(page);
    return (int) crc.getValue();
  }

  static void readFully(FileChannel channel, ByteBuffer target, long start) throws IOException {
    long position = start;
    while (target.hasRemaining()) {
      int read = channel.read(target, position);
      if (read < 0) {
        throw new IOException("unexpected end of file at " + position);
      }
      position += read;
    }
  }

  static void syncDirectory(Path file) throws IOException {
    try (FileChannel directory =
        FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  static StorageException corrupt(Path file, long offset, String problem) {
    return new StorageException(
        Reason.CORRUPT, file + " at offset " + offset + ": " + problem, null);
  }

  static StorageException failure(Path file, String what, IOException cause) {
    String message = String.valueOf(cause.getMessage());
    boolean isFull = message.contains("No space left") || message.contains("quota exceeded");
    return new StorageException(
        isFull ? Reason.DISK_FULL : Reason.IO, what + " " + file + ": " + message, cause);
  }
}
