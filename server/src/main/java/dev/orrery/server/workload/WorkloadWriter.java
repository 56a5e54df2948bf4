package dev.orrery.server.workload;

import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;
import org.bson.BsonDocument;

/**
 * Writes a workload: a header, then blocks of requests, each deflated and with a checksum.
 * docs/formats.md describes the file.
 */
public final class WorkloadWriter implements Closeable {
  static final byte[] MAGIC = {'O', 'R', 'R', 'Y', 'L', 'O', 'A', 'D'};
  static final int VERSION = 1;

  /** A block is written when it has that much. */
  static final int BLOCK_BYTES = 64 << 10;

  private final DataOutputStream out;
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
  private final BsonEncoder block = new BsonEncoder(2 * BLOCK_BYTES);
  private byte[] deflated = new byte[2 * BLOCK_BYTES];
  private long written;

  public WorkloadWriter(OutputStream out, WorkloadHeader header) throws IOException {
    this.out = new DataOutputStream(out);
    RawDocument document = RawDocument.of(header.toBson());
    byte[] bytes = document.toByteArray();
    this.out.write(MAGIC);
    this.out.writeInt(VERSION);
    this.out.writeInt(bytes.length);
    this.out.writeInt(checksum(bytes, bytes.length));
    this.out.write(bytes);
    written = MAGIC.length + 3 * Integer.BYTES + bytes.length;
  }

  static int checksum(byte[] bytes, int length) {
    var sum = new CRC32C();
    sum.update(bytes, 0, length);
    return (int) sum.getValue();
  }

  public void add(RecordedRequest request) throws IOException {
    add(request.toBson());
  }

  void add(BsonDocument record) throws IOException {
    block.writeDocument(record);
    if (block.length() >= BLOCK_BYTES) {
      flush();
    }
  }

  /** What the file has; what is not flushed yet is not counted. */
  public long bytesWritten() {
    return written;
  }

  /** Writes what is there as a block. */
  public void flush() throws IOException {
    int length = block.length();
    if (length == 0) {
      return;
    }
    deflater.reset();
    deflater.setInput(block.buffer(), 0, length);
    deflater.finish();
    int size = 0;
    while (!deflater.finished()) {
      if (size == deflated.length) {
        deflated = Arrays.copyOf(deflated, 2 * size);
      }
      size += deflater.deflate(deflated, size, deflated.length - size);
    }
    out.writeInt(size);
    out.writeInt(length);
    out.writeInt(checksum(deflated, size));
    out.write(deflated, 0, size);
    out.flush();
    written += 3L * Integer.BYTES + size;
    block.truncate(0);
  }

  @Override
  public void close() throws IOException {
    try (out) {
      flush();
    } finally {
      deflater.end();
    }
  }
}
