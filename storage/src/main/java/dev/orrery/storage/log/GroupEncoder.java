package dev.orrery.storage.log;

import dev.orrery.storage.log.Format.GroupHeader;
import dev.orrery.storage.log.RecordGroup.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;

/**
 * Turns groups into bytes in a file through one reusable buffer. A group that fits the buffer is
 * one write; of a larger one the header is written last.
 */
final class GroupEncoder {

  /**
   * Small enough to stay in a processor's own cache from the copy over the checksum to the write.
   */
  private static final int BUFFER_BYTES = 256 << 10;

  private final ByteBuffer buffer;
  private final byte[] recordHeader = new byte[Format.RECORD_HEADER_BYTES];
  private final ByteBuffer recordHeaderView = LogGroup.view(recordHeader);
  private final CRC32C recordChecksum = new CRC32C();
  private final CRC32C bodyChecksum = new CRC32C();

  private SegmentFile file;
  private int groupStart;
  private long groupPosition;

  /** Where in the file the buffer's first byte belongs. */
  private int bufferStart;

  GroupEncoder() {
    this(BUFFER_BYTES);
  }

  GroupEncoder(int bufferBytes) {
    buffer = ByteBuffer.allocateDirect(bufferBytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  void begin(SegmentFile target, int offset, long position) {
    file = target;
    groupStart = offset;
    groupPosition = position;
    bufferStart = offset;
    bodyChecksum.reset();
    buffer.clear().position(Format.GROUP_HEADER_BYTES);
  }

  void encode(RecordGroup group, long lsn, long[] positions) throws IOException {
    for (int i = 0; i < positions.length; i++) {
      positions[i] = groupPosition + (bufferStart - groupStart) + buffer.position();
      encode(group.entries().get(i), lsn);
    }
  }

  private void encode(Entry entry, long lsn) throws IOException {
    recordHeaderView.putInt(4, entry.length()).putInt(8, entry.meta().length);
    recordHeaderView.put(12, entry.kind());
    recordHeaderView.putLong(16, entry.versionLsn() == RecordGroup.OWN ? lsn : entry.versionLsn());
    recordChecksum.reset();
    recordChecksum.update(recordHeader, 4, Format.RECORD_HEADER_BYTES - 4);
    recordChecksum.update(entry.meta());
    recordChecksum.update(entry.source(), entry.offset(), entry.length());
    recordHeaderView.putInt(0, (int) recordChecksum.getValue());
    put(recordHeader, 0, recordHeader.length);
    put(entry.meta(), 0, entry.meta().length);
    put(entry.source(), entry.offset(), entry.length());
  }

  private void put(byte[] source, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      if (!buffer.hasRemaining()) {
        drain();
      }
      int part = Math.min(buffer.remaining(), length - done);
      buffer.put(source, offset + done, part);
      done += part;
    }
  }

  /** Writes what the buffer holds of the group's body. */
  private void drain() throws IOException {
    int skipped = bufferStart == groupStart ? Format.GROUP_HEADER_BYTES : 0;
    buffer.flip().position(skipped);
    bodyChecksum.update(buffer);
    buffer.position(skipped);
    file.write(buffer, bufferStart + skipped);
    bufferStart += buffer.limit();
    buffer.clear();
  }

  void end(IntFunction<GroupHeader> header, long salt) throws IOException {
    if (bufferStart == groupStart) {
      buffer.flip().position(Format.GROUP_HEADER_BYTES);
      bodyChecksum.update(buffer);
      header.apply((int) bodyChecksum.getValue()).encode(buffer, 0, salt);
      file.write(buffer.position(0), groupStart);
    } else {
      drain();
      header.apply((int) bodyChecksum.getValue()).encode(buffer, 0, salt);
      file.write(buffer.position(0).limit(Format.GROUP_HEADER_BYTES), groupStart);
    }
  }
}
