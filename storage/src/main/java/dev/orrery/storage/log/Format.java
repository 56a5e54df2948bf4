package dev.orrery.storage.log;

import dev.orrery.storage.Advice;
import dev.orrery.storage.StorageException.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The bytes of the log's files. */
final class Format {

  /*
   * All numbers are little-endian; every checksum is CRC-32C. docs/formats.md says the same.
   *
   * A segment file, NNNNNNNNNNNNNNNN.log (its number in hexadecimal), is
   *
   *   header, groups without gaps, then either zeros (the segment is written to, or was when the
   *   process died) or a footer that ends the file (the segment is sealed, or the log was closed).
   *
   *   segment header, 64 bytes           group header, 52 bytes           record header, 24 bytes
   *    0  8  magic "ORRERYLG"             0  4  magic "GRP2"               0  4  checksum of the
   *    8  4  version                      4  4  bytes, header included           rest of the record
   *   12  4  zero                         8  8  LSN                        4  4  payload bytes
   *   16  8  segment number              16  8  timestamp, millis          8  4  meta bytes
   *   24  8  LSN of the first group      24  8  cluster time              12  1  kind
   *   32  8  created, millis             32  8  durable LSN               13  3  zero
   *   40  8  salt                        40  4  number of records         16  8  LSN of its version
   *   48  8  cluster time before it      44  4  checksum of the records    then meta, then payload
   *   56  4  zero                        48  4  checksum of 0..47 + salt
   *   60  4  checksum of 0..59
   *
   *   segment footer, 64 bytes
   *    0  8  magic "ORRERYFT"
   *    8  8  segment number
   *   16  8  LSN of the last group (first LSN - 1 if there is none)
   *   24  8  timestamp of the last group, millis (or that of the segment)
   *   32  8  offset of this footer
   *   40  8  cluster time of the last group (or that of the segment)
   *   48 12  zero
   *   60  4  checksum of 0..59 + salt
   *
   * The salt is random and never leaves the file, so nobody can store a document that contains a
   * believable group: what looks like a group header was written by us, as one, in this segment.
   *
   * The durable LSN in a group header is the last LSN that was known to be on the device when the
   * group was written. It tells a torn tail from damage: a group that is bad although a later one
   * says it was durable has been damaged afterwards, and must not be cut off in silence.
   *
   * The LSN of a record's version is that of its group, unless the record is a copy: then it is that
   * of the group that brought the version.
   */

  static final int VERSION = 2;

  static final int SEGMENT_HEADER_BYTES = 64;
  static final int FOOTER_BYTES = 64;
  static final int GROUP_HEADER_BYTES = 52;
  static final int RECORD_HEADER_BYTES = 24;

  static final int GROUP_MAGIC = 0x32505247; // "GRP2"
  private static final long SEGMENT_MAGIC = 0x474c59524552524fL; // "ORRERYLG"
  private static final long FOOTER_MAGIC = 0x544659524552524fL; // "ORRERYFT"

  private static final String SUFFIX = ".log";

  private Format() {}

  /** What a segment's first bytes say. */
  record SegmentHeader(long number, long firstLsn, long createdMillis, long timeBefore, long salt) {

    ByteBuffer encode() {
      ByteBuffer bytes = zeros(SEGMENT_HEADER_BYTES);
      bytes.putLong(0, SEGMENT_MAGIC).putInt(8, VERSION).putLong(16, number);
      bytes.putLong(24, firstLsn).putLong(32, createdMillis).putLong(40, salt);
      bytes.putLong(48, timeBefore);
      return bytes.putInt(60, checksum(bytes, 0, 60));
    }

    /** The stamp of the group before the segment, as far as it is known there. */
    Stamp before() {
      return new Stamp(firstLsn - 1, createdMillis, timeBefore);
    }

    /** Throws {@link BadBytes} with the reason if this is no header we can read. */
    static SegmentHeader decode(ByteBuffer bytes) throws BadBytes {
      if (bytes.limit() < SEGMENT_HEADER_BYTES) {
        throw new BadBytes(0, "segment header is cut short");
      }
      if (bytes.getLong(0) != SEGMENT_MAGIC) {
        throw new BadBytes(0, "not a log segment");
      }
      if (bytes.getInt(60) != checksum(bytes, 0, 60)) {
        throw new BadBytes(0, "bad checksum of the segment header");
      }
      if (bytes.getInt(8) != VERSION) {
        throw BadBytes.ofVersion(bytes.getInt(8), 8);
      }
      return new SegmentHeader(
          bytes.getLong(16),
          bytes.getLong(24),
          bytes.getLong(32),
          bytes.getLong(48),
          bytes.getLong(40));
    }
  }

  /** What the end of a sealed segment says. */
  record Footer(long number, Stamp last, long offset) {

    ByteBuffer encode(long salt) {
      ByteBuffer bytes = zeros(FOOTER_BYTES);
      bytes.putLong(0, FOOTER_MAGIC).putLong(8, number).putLong(16, last.lsn());
      bytes.putLong(24, last.millis()).putLong(32, offset).putLong(40, last.time());
      return bytes.putInt(60, salted(bytes, 0, 60, salt));
    }

    /** Whether the bytes at {@code at} are a footer, and one that belongs there. */
    static boolean isAt(ByteBuffer bytes, int at, SegmentHeader header) {
      return isAt(bytes, at, at, header);
    }

    /** The same for bytes that were read from that offset of the file. */
    static boolean isAt(ByteBuffer bytes, int at, int offset, SegmentHeader header) {
      return offset >= SEGMENT_HEADER_BYTES
          && at <= bytes.limit() - FOOTER_BYTES
          && bytes.getLong(at) == FOOTER_MAGIC
          && bytes.getInt(at + 60) == salted(bytes, at, 60, header.salt())
          && bytes.getLong(at + 8) == header.number()
          && bytes.getLong(at + 32) == offset;
    }

    static Footer decode(ByteBuffer bytes, int at) {
      return new Footer(
          bytes.getLong(at + 8),
          new Stamp(bytes.getLong(at + 16), bytes.getLong(at + 24), bytes.getLong(at + 40)),
          bytes.getLong(at + 32));
    }
  }

  /** What a group says about itself. */
  record GroupHeader(int bytes, Stamp stamp, long durableLsn, int records, int bodyChecksum) {

    void encode(ByteBuffer target, int at, long salt) {
      target.putInt(at, GROUP_MAGIC).putInt(at + 4, bytes).putLong(at + 8, stamp.lsn());
      target.putLong(at + 16, stamp.millis()).putLong(at + 24, stamp.time());
      target.putLong(at + 32, durableLsn).putInt(at + 40, records);
      target.putInt(at + 44, bodyChecksum).putInt(at + 48, salted(target, at, 48, salt));
    }

    /** Whether a group header that was written as one begins at {@code at}. */
    static boolean isAt(ByteBuffer bytes, int at, long salt) {
      return at <= bytes.limit() - GROUP_HEADER_BYTES
          && bytes.getInt(at) == GROUP_MAGIC
          && bytes.getInt(at + 48) == salted(bytes, at, 48, salt);
    }

    static GroupHeader decode(ByteBuffer bytes, int at) {
      return new GroupHeader(
          bytes.getInt(at + 4),
          new Stamp(bytes.getLong(at + 8), bytes.getLong(at + 16), bytes.getLong(at + 24)),
          bytes.getLong(at + 32),
          bytes.getInt(at + 40),
          bytes.getInt(at + 44));
    }

    long lsn() {
      return stamp.lsn();
    }
  }

  /** Bytes that are not what the format says, at an offset of the file they were read from. */
  static final class BadBytes extends Exception {
    final Reason reason;
    final long offset;
    final String advice;

    BadBytes(long offset, String message) {
      this(Reason.CORRUPT, offset, message, Advice.DAMAGED);
    }

    private BadBytes(Reason reason, long offset, String message, String advice) {
      super(message, null, false, false);
      this.reason = reason;
      this.offset = offset;
      this.advice = advice;
    }

    static BadBytes ofVersion(int version, long offset) {
      return new BadBytes(
          Reason.UNUSABLE,
          offset,
          "format version " + version + ", known is " + VERSION,
          Advice.onVersion(version, VERSION));
    }
  }

  /** Checks the record at {@code at}, which must end by {@code end}, and returns its bytes. */
  static int requireRecord(ByteBuffer bytes, int at, int end) throws BadBytes {
    long room = (long) end - at - RECORD_HEADER_BYTES;
    if (at < SEGMENT_HEADER_BYTES || room < 0) {
      throw new BadBytes(at, "no record here, the groups end at " + end);
    }
    int payloadBytes = bytes.getInt(at + 4);
    int metaBytes = bytes.getInt(at + 8);
    if (payloadBytes < 0 || metaBytes < 0 || (long) payloadBytes + metaBytes > room) {
      throw new BadBytes(at, "bad length of a record");
    }
    int length = RECORD_HEADER_BYTES + metaBytes + payloadBytes;
    if (bytes.getInt(at) != checksum(bytes, at + 4, length - 4)) {
      throw new BadBytes(at, "bad checksum of a record");
    }
    return length;
  }

  static String fileName(long number) {
    return String.format("%016x%s", number, SUFFIX);
  }

  static boolean isSegmentFile(Path path) {
    return path.getFileName().toString().matches("[0-9a-f]{16}\\.log");
  }

  static long segmentNumber(Path path) {
    return Long.parseLong(path.getFileName().toString().substring(0, 16), 16);
  }

  static int checksum(ByteBuffer bytes, int offset, int length) {
    var crc = new CRC32C();
    crc.update(bytes.slice(offset, length));
    return (int) crc.getValue();
  }

  private static int salted(ByteBuffer bytes, int offset, int length, long salt) {
    var crc = new CRC32C();
    crc.update(bytes.slice(offset, length));
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (salt >>> shift) & 0xff);
    }
    return (int) crc.getValue();
  }

  static ByteBuffer zeros(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
