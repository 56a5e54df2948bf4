package dev.orrery.storage.log;

import dev.orrery.storage.log.Format.SegmentHeader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** The directory of a log's segments, and the manifest that lists them. */
final class SegmentFolder {
  private final Path directory;
  private final LogOptions options;
  private final SegmentFiles files;
  private final Manifest manifest;
  private final GroupEncoder encoder;

  SegmentFolder(Path directory, LogOptions options, SegmentFiles files, GroupEncoder encoder) {
    this.directory = directory;
    this.options = options;
    this.files = files;
    this.manifest = new Manifest(files, directory);
    this.encoder = encoder;
  }

  Path path() {
    return directory;
  }

  /**
   * A new segment in a file that recovery ignores until it is installed.
   *
   * @param before the stamp of the last group, at the present time
   * @param groupBytes there is room for a group of that size at least
   */
  SegmentWriter create(long number, Stamp before, long groupBytes) throws IOException {
    long needed = Format.SEGMENT_HEADER_BYTES + groupBytes + Format.FOOTER_BYTES;
    int capacity = Math.toIntExact(Math.max(options.segmentBytes(), needed));
    long salt = options.random().nextLong();
    var header = new SegmentHeader(number, before.lsn() + 1, before.millis(), before.time(), salt);
    Path fresh = newPath(number);
    files.delete(fresh);
    SegmentFile file = files.open(fresh, true);
    try {
      Path path = directory.resolve(Format.fileName(number));
      SegmentWriter writer = SegmentWriter.create(file, path, header, capacity, encoder);
      if (options.fsync()) {
        writer.force();
      }
      return writer;
    } catch (IOException | RuntimeException e) {
      try {
        file.close();
      } finally {
        files.delete(fresh);
      }
      throw e;
    }
  }

  private Path newPath(long number) {
    return directory.resolve(Format.fileName(number) + ".new");
  }

  /** Writes down which segments belong to the log. */
  void list(SegmentTable segments) throws IOException {
    manifest.write(segments.numbers(), options.fsync());
  }

  /** Deletes a segment whether it was installed or not. */
  void delete(Segment segment) throws IOException {
    files.delete(newPath(segment.number()));
    files.delete(segment.path());
    force();
  }

  void force() throws IOException {
    if (options.fsync()) {
      files.forceDirectory(directory);
    }
  }

  /** Gives up a segment that was to be written to. */
  static void release(SegmentWriter writer) {
    writer.segment().mapping().release();
    closeQuietly(writer);
  }

  static void closeQuietly(Closeable resource) {
    if (resource != null) {
      try {
        resource.close();
      } catch (IOException e) {
        // What matters was forced before; there is nothing left to lose.
      }
    }
  }
}
