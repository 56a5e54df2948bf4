package dev.orrery.storage.log;

import dev.orrery.storage.log.Format.BadBytes;
import dev.orrery.storage.log.Format.Footer;
import dev.orrery.storage.log.Format.GroupHeader;
import dev.orrery.storage.log.Format.SegmentHeader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Reads every byte of the log's segments and finds the first that is wrong. */
final class Verifier {

  private final List<Segment> segments;

  Verifier(List<Segment> segments) {
    this.segments = segments;
  }

  Optional<LogFault> firstFault() {
    for (Segment segment : segments) {
      if (segment.mapping().acquire()) { // Else it was deleted meanwhile.
        try {
          verify(segment);
        } catch (BadBytes e) {
          return Optional.of(new LogFault(segment.path(), e.offset, e.getMessage()));
        } finally {
          segment.mapping().release();
        }
      }
    }
    return Optional.empty();
  }

  /** The numbers of the sealed segments with a fault. */
  List<Long> damaged() {
    return segments.stream()
        .filter(one -> one.sealed() && new Verifier(List.of(one)).firstFault().isPresent())
        .map(Segment::number)
        .toList();
  }

  static void verify(Segment segment) throws BadBytes {
    ByteBuffer bytes = segment.mapping().bytes();
    SegmentInfo info = segment.info();
    int end = Math.toIntExact(info.bytes());
    if (!SegmentHeader.decode(bytes).equals(segment.header())) {
      throw new BadBytes(0, "the segment header has changed");
    }
    long lsn = info.firstLsn() - 1;
    int offset = Format.SEGMENT_HEADER_BYTES;
    while (offset < end) {
      GroupHeader group = segment.requireGroup(offset, end);
      lsn++;
      if (group.lsn() != lsn) {
        throw new BadBytes(offset, "group " + group.lsn() + " where " + lsn + " belongs");
      }
      verifyRecords(bytes, offset, group);
      offset += group.bytes();
    }
    if (lsn != info.lastLsn()) {
      throw new BadBytes(offset, "ends with LSN " + lsn + " instead of " + info.lastLsn());
    }
    if (info.sealed() && !Footer.isAt(bytes, end, segment.header())) {
      throw new BadBytes(end, "bad footer of a sealed segment");
    }
  }

  private static void verifyRecords(ByteBuffer bytes, int offset, GroupHeader group)
      throws BadBytes {
    int end = offset + group.bytes();
    int at = offset + Format.GROUP_HEADER_BYTES;
    int records = 0;
    while (at < end) {
      at += Format.requireRecord(bytes, at, end);
      records++;
    }
    if (records != group.records()) {
      throw new BadBytes(offset, records + " records instead of " + group.records());
    }
  }
}
