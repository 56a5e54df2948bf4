package dev.orrery.storage.log;

import dev.orrery.storage.log.Format.Footer;
import dev.orrery.storage.log.Format.GroupHeader;
import dev.orrery.storage.log.Format.SegmentHeader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Writes groups to the end of one segment. One thread at a time, but for {@link #force}. */
final class SegmentWriter implements Closeable {

  /*
   * The file has its full length from the start, as a hole, so that it is mapped once. In front of
   * the groups the hole is filled with zeros, step by step: a full disk shows there as an
   * IOException, before a group is begun, and an fsync that follows finds its blocks allocated
   * and needs no journal commit of the file system. In the first segment the steps grow with it,
   * so that a young log stays small.
   *
   * A large group goes into the hole as it is. Zeros before it would double what is written, to
   * save a journal commit that is small beside its own bytes; where the disk is full in its midst,
   * undo takes back what it left.
   */

  private static final int STEP_BYTES_MIN = 64 << 10;
  private static final int STEP_BYTES_MAX = 4 << 20;
  private static final int LARGE_GROUP_BYTES = 256 << 10;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(STEP_BYTES_MIN);

  private final SegmentFile file;
  private final Segment segment;
  private final GroupEncoder encoder;
  private final int capacity;
  private int allocated;

  private SegmentWriter(SegmentFile file, Segment segment, GroupEncoder encoder, int capacity) {
    this.file = file;
    this.segment = segment;
    this.encoder = encoder;
    this.capacity = capacity;
    this.allocated = segment.end();
  }

  /**
   * Begins a segment with room for {@code capacity} bytes in a file that will be renamed to {@code
   * path}.
   */
  static SegmentWriter create(
      SegmentFile file, Path path, SegmentHeader header, int capacity, GroupEncoder encoder)
      throws IOException {
    file.write(header.encode(), 0);
    file.resize(capacity);
    var segment = new Segment(path, header, file.map(capacity));
    return new SegmentWriter(file, segment, encoder, capacity);
  }

  /** Goes on behind the last group of a segment whose file has been cut there. */
  static SegmentWriter resume(
      SegmentFile file, Segment segment, int capacity, GroupEncoder encoder) {
    return new SegmentWriter(file, segment, encoder, capacity);
  }

  Segment segment() {
    return segment;
  }

  boolean hasRoom(long groupBytes) {
    return segment.end() + groupBytes + Format.FOOTER_BYTES <= capacity;
  }

  /**
   * Writes the group, makes it readable and returns the positions of its records. When this throws,
   * the group left nothing behind unless {@link #undo} throws too.
   */
  long[] append(RecordGroup group, Stamp stamp, long durableLsn) throws IOException {
    int start = segment.end();
    int bytes = Math.toIntExact(group.encodedBytes());
    if (bytes < LARGE_GROUP_BYTES) {
      reserveSome(start + bytes + Format.FOOTER_BYTES);
    }
    long[] positions = new long[group.size()];
    encoder.begin(file, start, Position.of(segment.number(), start));
    encoder.encode(group, stamp.lsn(), positions);
    encoder.end(
        checksum -> new GroupHeader(bytes, stamp, durableLsn, group.size(), checksum),
        segment.header().salt());
    segment.extend(start + bytes, stamp);
    allocated = Math.max(allocated, start + bytes);
    return positions;
  }

  /**
   * Fills with zeros at least up to {@code offset}. On a disk without room for a whole step there
   * may still be some for this group, and it may be what makes room: a delete, or a drop.
   */
  private void reserveSome(int offset) throws IOException {
    if (offset <= allocated) {
      return;
    }
    boolean isYoung = segment.number() == 1 && allocated < STEP_BYTES_MAX;
    int step = isYoung ? Math.max(allocated, STEP_BYTES_MIN) : STEP_BYTES_MAX;
    int ahead = Math.min(capacity, Math.max(offset, allocated + step));
    try {
      reserve(ahead);
    } catch (IOException e) {
      if (ahead == offset || !LogFailures.isNoRoom(e)) {
        throw e;
      }
      undo();
      reserve(offset);
    }
  }

  private void reserve(int target) throws IOException {
    for (int at = allocated; at < target; ) {
      ByteBuffer zeros = ZEROS.duplicate();
      zeros.limit(Math.min(zeros.capacity(), target - at));
      at += zeros.remaining();
      file.write(zeros, at - zeros.remaining());
    }
    allocated = target;
  }

  /** Removes what a failed append or a failed seal may have left behind the last group. */
  void undo() throws IOException {
    allocated = segment.end();
    file.resize(segment.end());
    file.resize(capacity);
  }

  /** Ends the file behind its last group with a footer. Readers notice nothing. */
  void writeFooter() throws IOException {
    int end = segment.end();
    var footer = new Footer(segment.number(), segment.last(), end);
    file.write(footer.encode(segment.header().salt()), end);
    file.resize(end + Format.FOOTER_BYTES);
    allocated = end;
  }

  /** Gives the file the name under which recovery finds it. */
  void install() throws IOException {
    file.rename(segment.path());
  }

  void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
