package dev.orrery.storage.log;

import dev.orrery.lane.Lane;
import dev.orrery.storage.log.Format.BadBytes;
import dev.orrery.storage.log.Format.GroupHeader;
import dev.orrery.storage.log.Format.SegmentHeader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * One segment as readers see it: immutable bytes up to {@link #end()}, which only grows. Reads are
 * lock-free and safe against deletion.
 */
final class Segment {
  private static final int LOOP_BYTES_MAX = 1 << 20;

  /** From here on somebody is asked before there is an array for a payload. */
  private static final int LARGE_BYTES = 128 << 10;

  /** The state that changes with each group, replaced as one. */
  private record Tail(int end, Stamp last, boolean sealed) {}

  private final Path path;
  private final SegmentHeader header;
  private final Mapping mapping;
  private volatile Tail tail;

  Segment(Path path, SegmentHeader header, Mapping mapping) {
    this.path = path;
    this.header = header;
    this.mapping = mapping;
    this.tail = new Tail(Format.SEGMENT_HEADER_BYTES, header.before(), false);
  }

  Path path() {
    return path;
  }

  SegmentHeader header() {
    return header;
  }

  long number() {
    return header.number();
  }

  int end() {
    return tail.end;
  }

  long lastLsn() {
    return tail.last.lsn();
  }

  /** The stamp of the last group, or what is known of the one before the segment. */
  Stamp last() {
    return tail.last;
  }

  boolean sealed() {
    return tail.sealed;
  }

  Mapping mapping() {
    return mapping;
  }

  SegmentInfo info() {
    Tail now = tail;
    return new SegmentInfo(
        number(),
        header.firstLsn(),
        now.last.lsn(),
        now.end,
        header.createdMillis(),
        now.last.millis(),
        now.sealed);
  }

  /** Makes a group readable that was written behind the last one. */
  void extend(int end, Stamp last) {
    tail = new Tail(end, last, false);
  }

  void seal() {
    Tail now = tail;
    tail = new Tail(now.end, now.last, true);
  }

  /** Without its payload, which is null then, if the version is newer than {@code newestLsn}. */
  LogRecord read(int offset, long newestLsn) {
    ByteBuffer bytes = acquire(offset);
    try {
      Format.requireRecord(bytes, offset, tail.end);
      byte[] meta = new byte[bytes.getInt(offset + 8)];
      bytes.get(offset + Format.RECORD_HEADER_BYTES, meta);
      long versionLsn = bytes.getLong(offset + 16);
      byte[] payload = versionLsn > newestLsn ? null : copyPayload(bytes, offset);
      return new LogRecord(bytes.get(offset + 12), versionLsn, meta, payload);
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } finally {
      mapping.release();
    }
  }

  byte[] readPayload(int offset, IntConsumer beforeLarge) {
    ByteBuffer bytes = acquire(offset);
    try {
      Format.requireRecord(bytes, offset, tail.end);
      int length = bytes.getInt(offset + 4);
      requireMayRead(length);
      if (length >= LARGE_BYTES) {
        beforeLarge.accept(length);
      }
      return copyPayload(bytes, offset);
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } finally {
      mapping.release();
    }
  }

  void passPayload(int offset, PayloadReader reader) {
    ByteBuffer bytes = acquire(offset);
    try {
      Format.requireRecord(bytes, offset, tail.end);
      requireMayRead(bytes.getInt(offset + 4));
      int metaBytes = bytes.getInt(offset + 8);
      reader.read(bytes, offset + Format.RECORD_HEADER_BYTES + metaBytes, bytes.getInt(offset + 4));
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } finally {
      mapping.release();
    }
  }

  /** Unverified. */
  int payloadLength(int offset) {
    ByteBuffer bytes = acquire(offset);
    try {
      int room = tail.end - offset - Format.RECORD_HEADER_BYTES;
      int length = room < 0 ? 0 : bytes.getInt(offset + 4);
      return length < 0 || length > room ? 0 : length;
    } finally {
      mapping.release();
    }
  }

  /** Long documents are not for loops, which would have to wait for memory as well. */
  private static void requireMayRead(int bytes) {
    if (bytes > LOOP_BYTES_MAX) {
      Lane.requireMayReadMuch();
    }
  }

  /** The version of a record that was verified, or is about to be. */
  long versionLsn(int offset) {
    ByteBuffer bytes = acquire(offset);
    try {
      return bytes.getLong(offset + 16);
    } finally {
      mapping.release();
    }
  }

  private ByteBuffer acquire(int offset) {
    if (!mapping.acquire()) {
      throw LogFailures.gone(Position.describe(Position.of(number(), offset)));
    }
    return mapping.bytes();
  }

  private static byte[] copyPayload(ByteBuffer bytes, int offset) {
    byte[] payload = new byte[bytes.getInt(offset + 4)];
    bytes.get(offset + Format.RECORD_HEADER_BYTES + bytes.getInt(offset + 8), payload);
    return payload;
  }

  /**
   * The group at {@code offset}, checked but not yet copied: use it only while the mapping is held.
   *
   * @param limit where the segment's groups end at the latest
   */
  GroupHeader requireGroup(int offset, int limit) throws BadBytes {
    ByteBuffer bytes = mapping.bytes();
    GroupHeader group = requireGroupHeader(offset, limit);
    int body = group.bytes() - Format.GROUP_HEADER_BYTES;
    if (Format.checksum(bytes, offset + Format.GROUP_HEADER_BYTES, body) != group.bodyChecksum()) {
      throw new BadBytes(offset, "bad checksum of group " + group.lsn());
    }
    return group;
  }

  /** Like {@link #requireGroup}, without a look at the records. */
  GroupHeader requireGroupHeader(int offset, int limit) throws BadBytes {
    ByteBuffer bytes = mapping.bytes();
    if (offset > limit - Format.GROUP_HEADER_BYTES
        || !GroupHeader.isAt(bytes, offset, header.salt())) {
      throw new BadBytes(offset, "no group begins here");
    }
    GroupHeader group = GroupHeader.decode(bytes, offset);
    if (group.bytes() <= Format.GROUP_HEADER_BYTES || group.bytes() > limit - offset) {
      throw new BadBytes(offset, "bad length of group " + group.lsn());
    }
    return group;
  }

  /** The group at {@code offset}, checked and copied; {@code null} if the segment is deleted. */
  LogGroup readGroup(int offset) {
    if (!mapping.acquire()) {
      return null;
    }
    try {
      GroupHeader group = requireGroup(offset, tail.end);
      byte[] body = new byte[group.bytes() - Format.GROUP_HEADER_BYTES];
      mapping.bytes().get(offset + Format.GROUP_HEADER_BYTES, body);
      long position = Position.of(number(), offset + Format.GROUP_HEADER_BYTES);
      return new LogGroup(group.stamp(), position, layout(body, group, offset), body);
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } finally {
      mapping.release();
    }
  }

  /** The start of each record in the body of a group. */
  private static int[] layout(byte[] body, GroupHeader group, int offset) throws BadBytes {
    ByteBuffer bytes = LogGroup.view(body);
    int[] starts = new int[Math.min(group.records(), body.length / Format.RECORD_HEADER_BYTES)];
    long at = 0;
    for (int i = 0; i < starts.length && at <= body.length - Format.RECORD_HEADER_BYTES; i++) {
      starts[i] = (int) at;
      at += Format.RECORD_HEADER_BYTES;
      at += (long) bytes.getInt(starts[i] + 4) + bytes.getInt(starts[i] + 8);
    }
    if (at != body.length || starts.length != group.records()) {
      throw new BadBytes(offset, "the records of group " + group.lsn() + " do not fill it");
    }
    return starts;
  }

  /** The offset of the group with this LSN, or of the first one after it. */
  int find(long lsn) {
    if (!mapping.acquire()) {
      return Format.SEGMENT_HEADER_BYTES;
    }
    try {
      int end = tail.end;
      int offset = Format.SEGMENT_HEADER_BYTES;
      while (offset < end) {
        GroupHeader group = requireGroupHeader(offset, end);
        if (group.lsn() >= lsn) {
          break;
        }
        offset += group.bytes();
      }
      return offset;
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } finally {
      mapping.release();
    }
  }

  /** The LSN of the first group that is later than that time; 0 if there is none. */
  long lsnAfter(long time) {
    if (!mapping.acquire()) {
      return 0;
    }
    try {
      int end = tail.end;
      for (int offset = Format.SEGMENT_HEADER_BYTES; offset < end; ) {
        GroupHeader group = requireGroupHeader(offset, end);
        if (group.stamp().time() > time) {
          return group.lsn();
        }
        offset += group.bytes();
      }
      return 0;
    } catch (BadBytes e) {
      throw LogFailures.bad(path, e);
    } finally {
      mapping.release();
    }
  }

  @Override
  public String toString() {
    return "Segment" + Arrays.asList(path, info());
  }
}
