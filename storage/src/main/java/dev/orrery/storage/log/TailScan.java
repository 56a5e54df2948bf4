package dev.orrery.storage.log;

import dev.orrery.storage.log.Format.BadBytes;
import dev.orrery.storage.log.Format.Footer;
import dev.orrery.storage.log.Format.GroupHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Finds the end of a segment: from its footer, or group by group if it has none. */
final class TailScan {
  /*
   * The file is read here and not looked at through its mapping. Behind the last group lies a hole,
   * and some file systems fill a hole that is mapped even for a reader: where the disk is full that
   * would end the process, while a read() just sees zeros.
   */

  private static final int WINDOW_BYTES = 64 << 10;

  /** Reads from an offset of the file; -1 at its end. */
  interface Source {
    int read(ByteBuffer target, long offset) throws IOException;
  }

  private final Segment segment;
  private final Source source;
  private final int size;
  private final ByteBuffer window =
      ByteBuffer.allocate(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private int windowStart;
  private String fault = "";
  private int tornBytes;

  /**
   * @param size of the file
   */
  TailScan(Segment segment, Source source, int size) {
    this.segment = segment;
    this.source = source;
    this.size = size;
    window.limit(0);
  }

  /** If the file ends in a footer, takes the segment's end from it. */
  boolean adoptFooter() throws IOException {
    int at = size - Format.FOOTER_BYTES;
    if (at < Format.SEGMENT_HEADER_BYTES) {
      return false;
    }
    int index = load(at, Format.FOOTER_BYTES);
    if (!Footer.isAt(window, index, at, segment.header())) {
      return false;
    }
    Footer footer = Footer.decode(window, index);
    segment.extend(at, footer.last());
    return true;
  }

  /**
   * Extends the segment by every group that is whole.
   *
   * @throws dev.orrery.storage.StorageException CORRUPT if the first that is not was durable once
   */
  void run() throws IOException {
    try {
      while (true) {
        GroupHeader group = requireGroup(segment.end());
        if (group.lsn() != segment.lastLsn() + 1) {
          throw new BadBytes(segment.end(), "group " + group.lsn() + " is out of order");
        }
        segment.extend(segment.end() + group.bytes(), group.stamp());
      }
    } catch (BadBytes e) {
      requireTornTail(e);
      fault = e.getMessage();
      tornBytes = lastWritten() - segment.end();
    }
  }

  /** What was begun behind the last whole group, and never acknowledged; 0 for nothing. */
  int tornBytes() {
    return tornBytes;
  }

  /** Why the last whole group is the last. */
  String fault() {
    return fault;
  }

  /** Where the zeros begin that nobody has written to; the segment's end at the least. */
  private int lastWritten() throws IOException {
    int last = segment.end();
    for (int at = segment.end(); at < size; at++) {
      if (window.get(load(at, 1)) != 0) {
        last = at + 1;
      }
    }
    return last;
  }

  private GroupHeader requireGroup(int offset) throws IOException, BadBytes {
    if (offset > size - Format.GROUP_HEADER_BYTES) {
      throw new BadBytes(offset, "no group begins here");
    }
    int index = load(offset, Format.GROUP_HEADER_BYTES);
    if (!GroupHeader.isAt(window, index, segment.header().salt())) {
      throw new BadBytes(offset, "no group begins here");
    }
    GroupHeader group = GroupHeader.decode(window, index);
    if (group.bytes() <= Format.GROUP_HEADER_BYTES || group.bytes() > size - offset) {
      throw new BadBytes(offset, "bad length of group " + group.lsn());
    }
    if (checksum(offset + Format.GROUP_HEADER_BYTES, offset + group.bytes())
        != group.bodyChecksum()) {
      throw new BadBytes(offset, "bad checksum of group " + group.lsn());
    }
    return group;
  }

  private int checksum(int from, int to) throws IOException {
    var crc = new CRC32C();
    for (int at = from; at < to; ) {
      int index = load(at, 1);
      int count = Math.min(window.limit() - index, to - at);
      crc.update(window.array(), index, count);
      at += count;
    }
    return (int) crc.getValue();
  }

  /** Throws if the first bad group was durable once, as a later group can testify. */
  private void requireTornTail(BadBytes bad) throws IOException {
    long salt = segment.header().salt();
    for (int at = segment.end() + 1; at <= size - Format.GROUP_HEADER_BYTES; at++) {
      int index = load(at, Format.GROUP_HEADER_BYTES);
      if (window.getInt(index) == Format.GROUP_MAGIC
          && GroupHeader.isAt(window, index, salt)
          && GroupHeader.decode(window, index).durableLsn() > segment.lastLsn()) {
        throw LogFailures.corrupt(
            segment.path(), segment.end(), bad.getMessage() + ", but it was durable once");
      }
    }
  }

  /** Where in the window the bytes of the file are from that offset on, at least so many. */
  private int load(int offset, int bytes) throws IOException {
    int index = offset - windowStart;
    if (index < 0 || index + bytes > window.limit()) {
      window.clear().limit(Math.min(WINDOW_BYTES, size - offset));
      windowStart = offset;
      index = 0;
      while (window.hasRemaining()) {
        if (source.read(window, (long) offset + window.position()) < 0) {
          throw new IOException(segment.path() + " ends before its size of " + size);
        }
      }
    }
    return index;
  }
}
