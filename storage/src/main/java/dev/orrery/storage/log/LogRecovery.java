package dev.orrery.storage.log;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Format.BadBytes;
import dev.orrery.storage.log.Format.SegmentHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the segments of a directory: trusts the sealed ones, scans the last one if need be. */
final class LogRecovery {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogRecovery.class);

  /*
   * A segment is begun only when the one before has its footer and is on the device, so a segment
   * that is not the last and has no footer is damaged. The last segment has a footer only if the
   * log was closed. Else its groups are read until the first that is not whole: what follows was
   * never acknowledged and is cut off, so that no later group can end where an old one begins.
   */

  private static final String NEW_SUFFIX = ".new";

  private final Path directory;
  private final LogOptions options;
  private final SegmentFiles files;
  private final Manifest manifest;

  LogRecovery(Path directory, LogOptions options, SegmentFiles files) {
    this.directory = directory;
    this.options = options;
    this.files = files;
    this.manifest = new Manifest(files, directory);
  }

  /**
   * The sealed segments in order, and the one to go on with; {@code null} in an empty directory.
   */
  record Opened(List<Segment> sealed, SegmentWriter active) {}

  Opened open(GroupEncoder encoder) throws IOException {
    SortedSet<Long> numbers = settle();
    if (numbers.isEmpty()) {
      return null;
    }
    var sealed = new ArrayList<Segment>();
    try {
      Segment previous = null;
      for (long number : numbers.headSet(numbers.last())) {
        Segment segment = openSealed(number);
        sealed.add(segment);
        requireOrder(previous, segment);
        previous = segment;
      }
      SegmentWriter active = openLast(numbers.last(), encoder);
      requireOrder(previous, active.segment());
      return new Opened(sealed, active);
    } catch (IOException | RuntimeException e) {
      sealed.forEach(segment -> segment.mapping().release());
      throw e;
    }
  }

  /** Finishes what a crash interrupted, and returns the numbers of the segments there are. */
  private SortedSet<Long> settle() throws IOException {
    var found = new TreeSet<Long>();
    for (Path path : files.list(directory)) {
      if (path.getFileName().toString().endsWith(NEW_SUFFIX)) {
        files.delete(path);
      } else if (Format.isSegmentFile(path)) {
        found.add(Format.segmentNumber(path));
      }
    }
    SortedSet<Long> listed = listed(found);
    long last = listed.isEmpty() ? 0 : listed.last();
    for (long number : listed) {
      if (!found.contains(number)) {
        throw LogFailures.corrupt(path(number), 0, "the segment is missing");
      }
    }
    found.removeAll(listed);
    for (long number : found) {
      if (number < last) { // It was taken off the manifest to be deleted.
        files.delete(path(number));
      } else if (number == last + 1) { // It was begun, but did not yet come into the manifest.
        listed.add(number);
        manifest.write(listed, options.fsync());
        files.forceDirectory(directory);
      } else {
        throw LogFailures.corrupt(path(number), 0, "segments before this one are missing");
      }
    }
    return listed;
  }

  private SortedSet<Long> listed(SortedSet<Long> found) throws IOException {
    if (!manifest.exists()) {
      if (!found.isEmpty() && found.last() > 1) {
        throw LogFailures.corrupt(directory.resolve(Manifest.FILE_NAME), 0, "the file is missing");
      }
      return new TreeSet<>();
    }
    Path path = directory.resolve(Manifest.FILE_NAME);
    try {
      return manifest.read();
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } catch (IOException e) {
      throw LogFailures.unreadable(path, e);
    }
  }

  private Path path(long number) {
    return directory.resolve(Format.fileName(number));
  }

  private static void requireOrder(Segment previous, Segment segment) {
    if (previous == null) {
      return;
    }
    long first = segment.header().firstLsn();
    boolean adjacent = previous.number() + 1 == segment.number();
    if (first <= previous.lastLsn() || (adjacent && first != previous.lastLsn() + 1)) {
      throw LogFailures.corrupt(
          segment.path(), 24, "begins with LSN " + first + " after " + previous.lastLsn());
    }
  }

  private Segment openSealed(long number) throws IOException {
    Path path = path(number);
    try (SegmentFile file = openFile(path)) {
      SegmentHeader header = requireHeader(path, file);
      int size = Math.toIntExact(file.size());
      var segment = new Segment(path, header, file.map(size));
      if (!new TailScan(segment, file::read, size).adoptFooter()) {
        segment.mapping().release();
        throw LogFailures.corrupt(
            path, Math.max(0, size - Format.FOOTER_BYTES), "bad footer of a sealed segment");
      }
      segment.seal();
      return segment;
    }
  }

  private SegmentFile openFile(Path path) throws IOException {
    try {
      return files.open(path, false);
    } catch (IOException e) {
      throw LogFailures.unreadable(path, e);
    }
  }

  private static SegmentHeader requireHeader(Path path, SegmentFile file) throws IOException {
    long size = file.size();
    Mapping mapping = file.map(Math.min(size, Format.SEGMENT_HEADER_BYTES));
    try {
      SegmentHeader header = SegmentHeader.decode(mapping.bytes());
      if (header.number() != Format.segmentNumber(path)) {
        throw new BadBytes(16, "this is segment " + header.number());
      }
      return header;
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } finally {
      mapping.release();
    }
  }

  private static void tellOfCut(Segment segment, TailScan tail) {
    if (tail.tornBytes() > 0) {
      LOGGER.warn(
          "{} is cut at offset {}: {} bytes behind it are of a write that was not complete when the"
              + " process ended ({})",
          segment.path(),
          segment.end(),
          tail.tornBytes(),
          tail.fault());
    }
  }

  private SegmentWriter openLast(long number, GroupEncoder encoder) throws IOException {
    Path path = path(number);
    SegmentFile file = openFile(path);
    Segment segment = null;
    try {
      SegmentHeader header = requireHeader(path, file);
      int size = Math.toIntExact(file.size());
      int capacity = Math.max(size, options.segmentBytes());
      file.resize(capacity);
      segment = new Segment(path, header, file.map(capacity));
      var tail = new TailScan(segment, file::read, size);
      if (!tail.adoptFooter()) {
        tail.run();
        tellOfCut(segment, tail);
        file.resize(segment.end());
        file.resize(capacity);
        // After a kill the groups may be in the page cache only. They count as durable from here.
        if (options.fsync()) {
          file.force();
          files.forceDirectory(directory);
        }
      }
      return SegmentWriter.resume(file, segment, capacity, encoder);
    } catch (IOException | StorageException e) {
      if (segment != null) {
        segment.mapping().release();
      }
      file.close();
      throw e;
    }
  }
}
