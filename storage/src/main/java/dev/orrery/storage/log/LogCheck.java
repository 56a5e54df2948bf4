package dev.orrery.storage.log;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Format.BadBytes;
import dev.orrery.storage.log.Format.SegmentHeader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SortedSet;
import java.util.function.Consumer;

/**
 * Reads every byte of a log that nobody has open, and changes none. What recovery would cut off
 * after a crash is told, not done.
 */
public final class LogCheck {
  private final Path directory;
  private final Consumer<String> progress;

  /**
   * @param progress gets a line for each thing that was checked
   */
  public LogCheck(Path directory, Consumer<String> progress) {
    this.directory = directory;
    this.progress = progress;
  }

  /**
   * @throws StorageException CORRUPT for the first fault, with its file and offset; UNUSABLE when
   *     the log is in use
   */
  public void run() {
    try {
      DirectoryLock lock = DirectoryLock.acquire(directory);
      try {
        checkSegments();
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw LogFailures.io("check", directory, e);
    }
  }

  private void checkSegments() throws IOException {
    SortedSet<Long> numbers = numbers();
    for (long number : numbers) {
      check(directory.resolve(Format.fileName(number)), number == numbers.last());
    }
  }

  private SortedSet<Long> numbers() throws IOException {
    Path manifest = directory.resolve(Manifest.FILE_NAME);
    if (!Files.exists(manifest)) {
      throw LogFailures.corrupt(manifest, 0, "the file is missing");
    }
    try {
      return new Manifest(new DiskFiles(), directory).read();
    } catch (BadBytes e) {
      throw LogFailures.bad(manifest, e);
    } catch (IOException e) {
      throw LogFailures.unreadable(manifest, e);
    }
  }

  private void check(Path path, boolean isLast) throws IOException {
    if (!Files.exists(path)) {
      throw LogFailures.corrupt(path, 0, "the segment is missing");
    }
    if (Files.isDirectory(path)) {
      throw LogFailures.corrupt(path, 0, "it is a directory");
    }
    try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
      int size = Math.toIntExact(channel.size());
      var mapping = new Mapping(channel.map(MapMode.READ_ONLY, 0, size));
      try {
        var segment = new Segment(path, SegmentHeader.decode(mapping.bytes()), mapping);
        check(segment, new TailScan(segment, channel::read, size), isLast);
      } catch (BadBytes e) {
        throw LogFailures.bad(path, e);
      } finally {
        mapping.release();
      }
    } catch (IOException e) {
      throw LogFailures.unreadable(path, e);
    }
  }

  private void check(Segment segment, TailScan tail, boolean isLast) throws BadBytes, IOException {
    String end = "";
    if (tail.adoptFooter()) {
      segment.seal();
    } else if (isLast) {
      tail.run();
      end = ", not closed: recovery goes on at offset " + segment.end();
    } else {
      int size = segment.mapping().bytes().limit();
      throw new BadBytes(Math.max(0, size - Format.FOOTER_BYTES), "bad footer of a sealed segment");
    }
    Verifier.verify(segment);
    SegmentInfo info = segment.info();
    progress.accept(segment.path() + ": groups " + info.firstLsn() + " to " + info.lastLsn() + end);
  }
}
