package dev.orrery.storage.index;

import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The redo journal of one checkpoint: the new content of every page that the old image already has.
 * It gets its name when it is complete, and is gone when it was copied into the image. One with
 * that name is applied again after a crash; if its checksum is wrong the image may be half of one
 * checkpoint and half of another, and is refused.
 *
 * <p>Big-endian: magic (8), version (4), number of pages (4), then for each page its number (4) and
 * its bytes (one page), then a CRC-32C of all that (4). The header page comes first.
 */
final class PageFileJournal {
  static final String SUFFIX = ".redo";
  static final String OLDER_SUFFIX = ".journal";

  private static final long MAGIC = 0x4f52_5259_4a4f_5552L; // "ORRYJOUR"
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 16;
  private static final int ENTRY_BYTES = Integer.BYTES + PageFile.PAGE_SIZE;

  private final Path image;
  private final Path file;
  private final Path unfinished;

  /** Written in place by older versions, so it may be torn: then the image is as it was before. */
  private final Path inPlace;

  private final boolean isDurable;

  PageFileJournal(Path image, boolean isDurable) {
    this.image = image;
    this.file = image.resolveSibling(image.getFileName() + SUFFIX);
    this.unfinished = image.resolveSibling(image.getFileName() + SUFFIX + ".new");
    this.inPlace = image.resolveSibling(image.getFileName() + OLDER_SUFFIX);
    this.isDurable = isDurable;
  }

  /** Stores the pages below {@code oldPages}; returns when the journal itself is durable. */
  void write(PageFileCheckpoint checkpoint, int oldPages) throws IOException {
    try (FileChannel channel = PrivateFiles.create(unfinished)) {
      var output = new PageFileOutput(channel);
      output.putLong(MAGIC);
      output.putInt(VERSION);
      output.putInt(checkpoint.pagesBelow(oldPages));
      checkpoint.writeEntries(output, oldPages);
      output.putInt(output.checksum());
      output.flush();
      if (isDurable) {
        channel.force(true);
      }
    }
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    if (isDurable) {
      PageFileImage.syncDirectory(file); // the image must not change before the journal has a name
    }
  }

  /**
   * Copies the pages of a complete journal into the image and drops the journal. Meanwhile the
   * image has no header: should the journal be lost now, it is of no use and must be known to be.
   */
  void apply() throws IOException {
    apply(file);
  }

  private void apply(Path journal) throws IOException {
    try (FileChannel source = FileChannel.open(journal, StandardOpenOption.READ);
        FileChannel target = FileChannel.open(image, StandardOpenOption.WRITE)) {
      var output = new PageFileOutput(target);
      ByteBuffer entry = ByteBuffer.allocate(ENTRY_BYTES);
      output.putPage(entry, Integer.BYTES);
      output.flush();
      long end = source.size() - Integer.BYTES;
      for (long at = HEADER_BYTES + ENTRY_BYTES; at < end; at += ENTRY_BYTES) {
        copy(source, at, entry, output);
      }
      output.flush();
      copy(source, HEADER_BYTES, entry, output);
      output.flush();
      if (isDurable) {
        target.force(true);
      }
    }
    Files.delete(journal);
  }

  private static void copy(FileChannel source, long at, ByteBuffer entry, PageFileOutput output)
      throws IOException {
    PageFileImage.readFully(source, entry.clear(), at);
    output.seek((long) entry.getInt(0) << PageFile.PAGE_SHIFT);
    output.putPage(entry, Integer.BYTES);
  }

  /** After a crash: applies a journal, forgets an unfinished one. */
  void recover() throws IOException {
    Files.deleteIfExists(unfinished);
    if (!Files.exists(image)) {
      delete(); // of no use without the pages that it leaves out
    } else if (Files.exists(file)) {
      if (!isComplete(file)) {
        throw PageFileImage.corrupt(file, 0, "the journal's checksum does not match");
      }
      apply(file);
    } else if (Files.exists(inPlace) && isComplete(inPlace)) {
      apply(inPlace);
    }
    Files.deleteIfExists(inPlace);
  }

  /** Of a write that failed; nothing that counts. */
  void deleteUnfinished() throws IOException {
    PrivateFiles.delete(unfinished);
  }

  void delete() throws IOException {
    deleteUnfinished();
    PrivateFiles.delete(file);
    PrivateFiles.delete(inPlace);
  }

  private static boolean isComplete(Path journal) throws IOException {
    try (FileChannel channel = FileChannel.open(journal, StandardOpenOption.READ)) {
      ByteBuffer head = ByteBuffer.allocate(HEADER_BYTES);
      if (channel.size() < HEADER_BYTES + Integer.BYTES) {
        return false;
      }
      PageFileImage.readFully(channel, head, 0);
      long bytes = HEADER_BYTES + (long) head.getInt(12) * ENTRY_BYTES + Integer.BYTES;
      return head.getLong(0) == MAGIC
          && head.getInt(8) == VERSION
          && channel.size() == bytes
          && isIntact(channel, bytes - Integer.BYTES);
    }
  }

  private static boolean isIntact(FileChannel channel, long end) throws IOException {
    var crc = new CRC32C();
    ByteBuffer part = ByteBuffer.allocate(16 * PageFile.PAGE_SIZE);
    for (long at = 0; at < end; at += part.limit()) {
      part.clear().limit((int) Math.min(part.capacity(), end - at));
      PageFileImage.readFully(channel, part, at);
      crc.update(part.array(), 0, part.limit());
    }
    ByteBuffer expected = ByteBuffer.allocate(Integer.BYTES);
    PageFileImage.readFully(channel, expected, end);
    return expected.getInt(0) == (int) crc.getValue();
  }
}
