package dev.orrery.storage.log;

import dev.orrery.storage.log.Format.BadBytes;
import dev.orrery.storage.log.Format.Footer;
import dev.orrery.storage.log.Format.GroupHeader;
import dev.orrery.storage.log.Format.SegmentHeader;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** One segment of a damaged log: finds the groups, and in damaged groups the records. */
final class SegmentSalvage {

  /*
   * From group to group, as long as headers are right. A group whose records are not all right is
   * taken apart: every record has a checksum of its own. Behind a bad record goes on where its
   * lengths lead if a good record is there, else where the next good one is found by looking.
   *
   * Where no header is, its group's records begin 44 bytes later nevertheless; they are read up to
   * the next place that has one. The salt tells true headers from images of some in documents. If
   * the segment's own header is damaged the salt is unknown, and a group is believed if its records
   * have the checksum that its header says.
   *
   * A record that is found by looking could be an image, too, put into a document by somebody who
   * hoped for damage just there: so it may only be a document's record, never one of the catalog,
   * and lies inside a group that is damaged anyway.
   *
   * At the end of the last segment the rules of recovery hold: a group that is not whole was never
   * acknowledged, unless a later one says that it was on the device.
   */

  /**
   * @param isLast whether it is the log's last segment, which may have a torn tail
   * @param durableLsn groups up to this one were on the device once
   */
  record Place(Path path, long number, boolean isLast, long durableLsn) {}

  private final Place place;
  private final Mapping mapping;
  private final ByteBuffer bytes;
  private final int limit;
  private final SegmentHeader header;
  private final LogSalvage.Shape shape;
  private long lastLsn;

  /**
   * @param header null if it cannot be read
   */
  SegmentSalvage(Place place, Mapping mapping, SegmentHeader header, LogSalvage.Shape shape) {
    this.place = place;
    this.mapping = mapping;
    this.bytes = mapping.bytes();
    this.limit = bytes.limit();
    this.header = header;
    this.shape = shape;
  }

  long bytes() {
    return limit;
  }

  void close() {
    mapping.release();
  }

  void read(LogSalvage.Receiver receiver) {
    lastLsn = header == null ? 0 : header.firstLsn() - 1;
    int at = Format.SEGMENT_HEADER_BYTES;
    while (at < limit && !isFooter(at)) {
      GroupHeader group = groupAt(at);
      if (group != null && isWhole(at, group)) {
        readRecords(receiver, at, at + group.bytes(), group.lsn());
        at += group.bytes();
        lastLsn = group.lsn();
        continue;
      }
      if (isUnwritten(at)) {
        if (!place.isLast) {
          lose(receiver, at, 0, "the segment has no end");
        }
        return;
      }
      if (isTornTail(at)) {
        lose(receiver, at, limit - at, "a write that was never finished or acknowledged");
        return;
      }
      at = group == null ? readGap(receiver, at) : readDamaged(receiver, at, group);
    }
    if (at >= limit && !place.isLast) {
      lose(receiver, limit, 0, "the file is cut short");
    }
  }

  private void lose(LogSalvage.Receiver receiver, int at, int length, String what) {
    receiver.lost(new LogLoss(place.path, at, length, what, null));
  }

  /** The header at that place, or null if there is none that can be believed. */
  private GroupHeader groupAt(int at) {
    if (at > limit - Format.GROUP_HEADER_BYTES || bytes.getInt(at) != Format.GROUP_MAGIC) {
      return null;
    }
    if (header != null && !GroupHeader.isAt(bytes, at, header.salt())) {
      return null;
    }
    GroupHeader group = GroupHeader.decode(bytes, at);
    boolean isBelieved = group.bytes() > Format.GROUP_HEADER_BYTES;
    return isBelieved && (header != null || isWhole(at, group)) ? group : null;
  }

  private boolean isWhole(int at, GroupHeader group) {
    int body = group.bytes() - Format.GROUP_HEADER_BYTES;
    return body > 0
        && group.bytes() <= limit - at
        && Format.checksum(bytes, at + Format.GROUP_HEADER_BYTES, body) == group.bodyChecksum();
  }

  private boolean isFooter(int at) {
    if (header != null) {
      return Footer.isAt(bytes, at, header);
    }
    return at == limit - Format.FOOTER_BYTES
        && Footer.decode(bytes, at).number() == place.number
        && Footer.decode(bytes, at).offset() == at;
  }

  /** Whether the log was closed in order, so that nothing of it is torn. */
  private boolean isClosed() {
    return isFooter(limit - Format.FOOTER_BYTES);
  }

  private boolean isUnwritten(int from) {
    for (int at = from; at < limit; at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** As recovery decides it: no later group says that the one at {@code from} was durable. */
  private boolean isTornTail(int from) {
    if (!place.isLast || header == null || lastLsn < place.durableLsn || isClosed()) {
      return false;
    }
    for (int at = from + 1; at <= limit - Format.GROUP_HEADER_BYTES; at++) {
      GroupHeader later = groupAt(at);
      if (later != null && later.durableLsn() > lastLsn) {
        return false;
      }
    }
    return true;
  }

  /** Reads what is between two places with headers; returns the second. */
  private int readGap(LogSalvage.Receiver receiver, int from) {
    int next = from + 1;
    while (next < limit && groupAt(next) == null && !isFooter(next)) {
      next++;
    }
    int body = Math.min(next, from + Format.GROUP_HEADER_BYTES);
    lose(receiver, from, body - from, "no group begins here; its records were looked for");
    readRecords(receiver, from, next, Long.MAX_VALUE);
    return next;
  }

  private int readDamaged(LogSalvage.Receiver receiver, int at, GroupHeader group) {
    int end = (int) Math.min(limit, (long) at + group.bytes());
    if (end < at + group.bytes()) {
      lose(receiver, limit, at + group.bytes() - end, "group " + group.lsn() + " is cut short");
    }
    readRecords(receiver, at, end, group.lsn());
    lastLsn = group.lsn();
    return end;
  }

  /** The records of a group that begins at {@code start}, with its header. */
  private void readRecords(LogSalvage.Receiver receiver, int start, int end, long lsn) {
    int at = Math.min(end, start + Format.GROUP_HEADER_BYTES);
    while (at < end) {
      int length = recordAt(at, end);
      if (length > 0) {
        receiver.record(Position.of(place.number, at), lsn, record(at));
        at += length;
      } else {
        at = readBad(receiver, at, end);
      }
    }
  }

  /** Notes a record that cannot be read; returns where the next one that can begins. */
  private int readBad(LogSalvage.Receiver receiver, int at, int end) {
    int next = behind(at, end);
    byte[] meta = null;
    if (next < 0) {
      next = at + 1;
      while (next < end && !isRecordByItself(next, end)) {
        next++;
      }
    } else {
      meta = new byte[bytes.getInt(at + 8)];
      bytes.get(at + Format.RECORD_HEADER_BYTES, meta);
    }
    receiver.lost(
        new LogLoss(place.path, at, next - at, "bad checksum of one or more records", meta));
    return next;
  }

  /** Where the lengths of a bad record lead, if they can be right; else -1. */
  private int behind(int at, int end) {
    if (at > end - Format.RECORD_HEADER_BYTES) {
      return -1;
    }
    int payloadBytes = bytes.getInt(at + 4);
    int metaBytes = bytes.getInt(at + 8);
    long next = (long) at + Format.RECORD_HEADER_BYTES + payloadBytes + metaBytes;
    boolean isPossible =
        payloadBytes >= 0
            && payloadBytes <= RecordGroup.PAYLOAD_BYTES_MAX
            && metaBytes >= 0
            && metaBytes <= RecordGroup.META_BYTES_MAX
            && next <= end;
    return isPossible && (next == end || recordAt((int) next, end) > 0) ? (int) next : -1;
  }

  private boolean isRecordByItself(int at, int end) {
    if (at > end - Format.RECORD_HEADER_BYTES) {
      return false;
    }
    int payloadBytes = bytes.getInt(at + 4);
    int metaBytes = bytes.getInt(at + 8);
    long length = (long) Format.RECORD_HEADER_BYTES + payloadBytes + metaBytes;
    return payloadBytes >= 0
        && metaBytes >= 0
        && metaBytes <= RecordGroup.META_BYTES_MAX
        && length <= end - at
        && (bytes.getInt(at + 12) >>> 8) == 0
        && shape.mayBe(
            bytes.get(at + 12),
            metaBytes,
            bytes,
            at + Format.RECORD_HEADER_BYTES + metaBytes,
            payloadBytes)
        && recordAt(at, end) > 0;
  }

  /** How long the record is that begins there; 0 if none does whose checksum is right. */
  private int recordAt(int at, int end) {
    try {
      return Format.requireRecord(bytes, at, end);
    } catch (BadBytes e) {
      return 0;
    }
  }

  private LogRecord record(int at) {
    byte[] meta = new byte[bytes.getInt(at + 8)];
    byte[] payload = new byte[bytes.getInt(at + 4)];
    bytes.get(at + Format.RECORD_HEADER_BYTES, meta);
    bytes.get(at + Format.RECORD_HEADER_BYTES + meta.length, payload);
    return new LogRecord(bytes.get(at + 12), bytes.getLong(at + 16), meta, payload);
  }

  /** Null if no record can be read there. */
  LogRecord find(int at) {
    return recordAt(at, limit) > 0 ? record(at) : null;
  }
}
