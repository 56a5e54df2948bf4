package dev.orrery.storage.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A group read back: its stamp and its records. All records share one array, copied out of the log
 * and verified; {@code meta} and {@code payload} copy from it, {@code source} and the offsets let a
 * caller read in place.
 */
public final class LogGroup {

  private final Stamp stamp;
  private final long position;
  private final int[] starts;
  private final byte[] body;
  private final ByteBuffer view;

  LogGroup(Stamp stamp, long position, int[] starts, byte[] body) {
    this.stamp = stamp;
    this.position = position;
    this.starts = starts;
    this.body = body;
    this.view = view(body);
  }

  static ByteBuffer view(byte[] body) {
    return ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
  }

  public Stamp stamp() {
    return stamp;
  }

  public long lsn() {
    return stamp.lsn();
  }

  /** How many records the group has: at least one. */
  public int size() {
    return starts.length;
  }

  /** The position of record {@code index}, as {@link Log#append} returned it. */
  public long position(int index) {
    return position + starts[index];
  }

  public byte kind(int index) {
    return body[starts[index] + 12];
  }

  /** The LSN of the group that brought the version of record {@code index}. */
  public long versionLsn(int index) {
    return view.getLong(starts[index] + 16);
  }

  public byte[] meta(int index) {
    int offset = metaOffset(index);
    return Arrays.copyOfRange(body, offset, offset + metaLength(index));
  }

  public byte[] payload(int index) {
    int offset = payloadOffset(index);
    return Arrays.copyOfRange(body, offset, offset + payloadLength(index));
  }

  public LogRecord record(int index) {
    return new LogRecord(kind(index), versionLsn(index), meta(index), payload(index));
  }

  /**
   * The array that {@link #metaOffset} and {@link #payloadOffset} point into; not to be changed.
   */
  public byte[] source() {
    return body;
  }

  public int metaOffset(int index) {
    return starts[index] + Format.RECORD_HEADER_BYTES;
  }

  public int metaLength(int index) {
    return view.getInt(starts[index] + 8);
  }

  public int payloadOffset(int index) {
    return metaOffset(index) + metaLength(index);
  }

  public int payloadLength(int index) {
    return view.getInt(starts[index] + 4);
  }
}
