package dev.orrery.storage.recovery;

import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.index.FileOwner;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.structure.PartitionFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * The slots of a partition as of their last checkpoint, read from a copy. They say which documents
 * there were, also where compaction has removed the records of deletions from the log.
 */
final class SalvagedSlots implements AutoCloseable {
  private static final int PAGE_IDS = 256;
  private static final int COPY_BYTES = 1 << 20;

  private final SlotFile slots;
  private final Set<Long> lost = new HashSet<>();

  private SalvagedSlots(SlotFile slots) {
    this.slots = slots;
  }

  /**
   * Copies and opens the slots.
   *
   * @param owner whose they must be
   * @param stamp how new they are at least
   * @throws StorageException CORRUPT when they are missing, older than that, another's, or damaged
   */
  static SalvagedSlots open(Path partition, Path scratch, FileOwner owner, long stamp) {
    Path source = partition.resolve(PartitionFiles.SLOTS);
    Path copy = scratch.resolve(partition.getFileName() + "-" + PartitionFiles.SLOTS);
    try {
      copy(source, copy);
      for (String journal : SlotFile.JOURNALS) {
        copy(sibling(source, journal), sibling(copy, journal));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    SlotFile slots = SlotFile.open(copy, owner, new PageFilePool(), false);
    try {
      slots.verifyPages();
      if (slots.lsn() < stamp) {
        throw new StorageException(
            StorageException.Reason.CORRUPT, source + ": the file is missing or out of date");
      }
      return new SalvagedSlots(slots);
    } catch (StorageException e) {
      slots.close();
      throw e;
    }
  }

  private static Path sibling(Path image, String suffix) {
    return image.resolveSibling(image.getFileName() + suffix);
  }

  private static void copy(Path from, Path to) throws IOException {
    if (!Files.exists(from)) {
      return;
    }
    try (FileChannel in = openSource(from);
        FileChannel out = PrivateFiles.create(to)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(COPY_BYTES);
      while (read(from, in, buffer.clear())) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          out.write(buffer);
        }
      }
    }
  }

  private static FileChannel openSource(Path from) {
    try {
      return FileChannel.open(from, StandardOpenOption.READ);
    } catch (IOException e) {
      throw unreadable(from, e);
    }
  }

  private static boolean read(Path from, FileChannel in, ByteBuffer buffer) {
    try {
      return in.read(buffer) >= 0;
    } catch (IOException e) {
      throw unreadable(from, e);
    }
  }

  /** The rest of the store can be read without them. */
  private static StorageException unreadable(Path file, IOException cause) {
    return new StorageException(
        StorageException.Reason.CORRUPT,
        file + ": it cannot be read: " + cause.getMessage(),
        cause);
  }

  /** Everything that the log says up to this group is in the slots. */
  long lsn() {
    return Math.max(0, slots.lsn());
  }

  /** Where the present version of a record is; 0 if there is none. */
  long position(long recordId) {
    return slots.get(recordId);
  }

  /** Finds the records whose present version cannot be read. */
  void findLost(LongPredicate isReadable) {
    long[] ids = new long[PAGE_IDS];
    long[] positions = new long[PAGE_IDS];
    long from = 1;
    for (int n = slots.scanUp(from, ids, positions);
        n > 0;
        n = slots.scanUp(from, ids, positions)) {
      for (int i = 0; i < n; i++) {
        if (!isReadable.test(positions[i])) {
          lost.add(ids[i]);
        }
      }
      from = ids[n - 1] + 1;
    }
  }

  /** A later record of the log, or an older version, stands for the one that was lost. */
  boolean isMadeUpFor(long recordId) {
    return lost.remove(recordId);
  }

  /** How many records have no version that can be read. */
  int lost() {
    return lost.size();
  }

  @Override
  public void close() {
    slots.close();
  }
}
