package dev.orrery.storage.log;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Format.BadBytes;
import dev.orrery.storage.log.Format.SegmentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A log that recovery refuses, read as far as it can be read: every record whose checksum is right,
 * in the order in which they were written, and a note of everything else. Changes nothing.
 */
public final class LogSalvage implements AutoCloseable {

  /** Gets what is in the log, in its order. */
  public interface Receiver {
    /**
     * A record whose checksum is right.
     *
     * @param lsn of its group; {@link Long#MAX_VALUE} when the group's header cannot be read
     */
    void record(long position, long lsn, LogRecord record);

    void lost(LogLoss loss);
  }

  /** Tells what may be a record before its checksum is computed; the log knows no kinds. */
  public interface Shape {
    /**
     * @param payload begins at {@code offset}
     */
    boolean mayBe(byte kind, int metaBytes, ByteBuffer payload, int offset, int payloadBytes);
  }

  private final Path directory;
  private final Shape shape;
  private final long durableLsn;
  private final SortedMap<Long, SegmentSalvage> segments = new TreeMap<>();
  private final List<LogLoss> losses = new ArrayList<>();

  /**
   * Opens the segments.
   *
   * @param durableLsn groups up to this one were on the device once, as somebody else knows; 0 if
   *     nobody does
   * @throws StorageException UNUSABLE when a newer version wrote them
   */
  public LogSalvage(Path directory, Shape shape, long durableLsn) {
    this.directory = directory;
    this.shape = shape;
    this.durableLsn = durableLsn;
    try {
      SortedSet<Long> numbers = numbers();
      for (long number : numbers) {
        tryOpen(number, numbers.last());
      }
    } catch (IOException e) {
      close();
      throw LogFailures.io("read", directory, e);
    } catch (StorageException e) {
      close();
      throw e;
    }
  }

  /** Those that the manifest names, or those that are there if it can't be read. */
  private SortedSet<Long> numbers() throws IOException {
    var found = new TreeSet<Long>();
    try (Stream<Path> paths = Files.list(directory)) {
      paths.filter(Format::isSegmentFile).map(Format::segmentNumber).forEach(found::add);
    }
    Path manifest = directory.resolve(Manifest.FILE_NAME);
    try {
      SortedSet<Long> listed = new Manifest(new DiskFiles(), directory).read();
      for (long number : listed) {
        if (!found.contains(number)) {
          lose(path(number), 0, 0, "the segment is missing");
        }
      }
      if (!listed.isEmpty()) {
        found.removeIf(number -> number < listed.last() && !listed.contains(number)); // deleted
      }
    } catch (NoSuchFileException e) {
      lose(manifest, 0, 0, "the file is missing; every segment that is there was read");
    } catch (BadBytes e) {
      if (e.reason == StorageException.Reason.UNUSABLE) {
        throw LogFailures.bad(manifest, e);
      }
      lose(manifest, e.offset, Files.size(manifest), e.getMessage());
    } catch (IOException e) {
      String what = "it cannot be read: " + e.getMessage() + "; every segment was read";
      lose(manifest, 0, 0, what);
    }
    return found;
  }

  private Path path(long number) {
    return directory.resolve(Format.fileName(number));
  }

  private void lose(Path file, long offset, long bytes, String what) {
    losses.add(new LogLoss(file, offset, bytes, what, null));
  }

  /** One that cannot be opened is lost, and keeps none of the others from being read. */
  private void tryOpen(long named, long last) {
    Path path = path(named);
    if (Files.isDirectory(path)) {
      lose(path, 0, 0, "it is a directory");
      return;
    }
    try {
      open(named, last);
    } catch (IOException e) {
      lose(path, 0, 0, "it cannot be read: " + e.getMessage());
    }
  }

  private void open(long named, long last) throws IOException {
    Path path = path(named);
    try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long size = Math.min(channel.size(), Integer.MAX_VALUE);
      if (size < Format.SEGMENT_HEADER_BYTES) {
        lose(path, 0, size, "segment header is cut short");
        return;
      }
      var mapping = new Mapping(channel.map(MapMode.READ_ONLY, 0, size));
      SegmentHeader header = null;
      try {
        header = SegmentHeader.decode(mapping.bytes());
      } catch (BadBytes e) {
        if (e.reason == StorageException.Reason.UNUSABLE) {
          mapping.release();
          throw LogFailures.bad(path, e);
        }
        lose(path, 0, Format.SEGMENT_HEADER_BYTES, e.getMessage());
      }
      long number = header == null ? named : header.number(); // it tells what positions mean
      if (number != named) {
        lose(
            path,
            16,
            0,
            "this is segment " + number + " under another's name; it was read as that");
      }
      if (segments.containsKey(number)) {
        mapping.release();
        return; // the same twice
      }
      var place = new SegmentSalvage.Place(path, number, number >= last, durableLsn);
      segments.put(number, new SegmentSalvage(place, mapping, header, shape));
    }
  }

  /** Reads everything from the first segment to the last. */
  public void read(Receiver receiver) {
    losses.forEach(receiver::lost);
    segments.values().forEach(segment -> segment.read(receiver));
  }

  /** The record at a position that {@link #read} gave, or null if none can be read there. */
  public LogRecord find(long position) {
    SegmentSalvage segment = segments.get(Position.segment(position));
    return segment == null ? null : segment.find(Position.offset(position));
  }

  /** How many bytes of segments there are. */
  public long bytes() {
    return segments.values().stream().mapToLong(SegmentSalvage::bytes).sum();
  }

  @Override
  public void close() {
    segments.values().forEach(SegmentSalvage::close);
    segments.clear();
  }
}
