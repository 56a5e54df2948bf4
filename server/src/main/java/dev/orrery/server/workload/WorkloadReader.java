package dev.orrery.server.workload;

import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Reads a workload, one request after the other, holding one block in memory. A file whose end is
 * missing, as after a kill, ends with its last whole block.
 */
public final class WorkloadReader implements Closeable {
  private static final int HEADER_BYTES_MAX = 64 << 10;

  /** One request is smaller than a message, and a block ends with the one that fills it. */
  private static final int BLOCK_BYTES_MAX = 64 << 20;

  private static final byte[] NOTHING = {};

  private final DataInputStream in;
  private final WorkloadHeader header;
  private byte[] block = NOTHING;
  private int place;
  private boolean isCut;

  public WorkloadReader(InputStream in) throws IOException {
    this.in = new DataInputStream(in);
    try {
      byte[] magic = new byte[WorkloadWriter.MAGIC.length];
      this.in.readFully(magic);
      if (!Arrays.equals(magic, WorkloadWriter.MAGIC)) {
        throw new IOException("this is no recorded workload");
      }
      int version = this.in.readInt();
      if (version != WorkloadWriter.VERSION) {
        throw new IOException("a workload of version " + version + ", which this one cannot read");
      }
      int length = this.in.readInt();
      int checksum = this.in.readInt();
      byte[] bytes = checked(length, HEADER_BYTES_MAX, checksum);
      header = WorkloadHeader.parse(RawDocument.wrap(bytes).toBsonDocument());
    } catch (EOFException e) {
      throw new IOException("this is no recorded workload: it ends too soon", e);
    }
  }

  public WorkloadHeader header() {
    return header;
  }

  /** Whether the end of the file was missing; known when all was read. */
  public boolean isCut() {
    return isCut;
  }

  /** The next request; null at the end. */
  public @Nullable RecordedRequest next() throws IOException {
    while (place == block.length) {
      if (!readBlock()) {
        return null;
      }
    }
    int length = block.length - place < 5 ? 0 : LittleEndian.int32(block, place);
    if (length < 5 || length > block.length - place) {
      throw new IOException("the workload is damaged: a request of " + length + " bytes");
    }
    RawDocument record = RawDocument.wrap(Arrays.copyOfRange(block, place, place + length));
    place += length;
    return RecordedRequest.parse(record);
  }

  private boolean readBlock() throws IOException {
    int size;
    try {
      size = in.readInt();
    } catch (EOFException end) {
      return false;
    }
    try {
      int length = in.readInt();
      int checksum = in.readInt();
      if (length < 0 || length > BLOCK_BYTES_MAX) {
        throw new IOException("the workload is damaged: a block of " + length + " bytes");
      }
      block = inflated(checked(size, BLOCK_BYTES_MAX, checksum), length);
      place = 0;
      return true;
    } catch (EOFException cut) {
      isCut = true;
      block = NOTHING;
      place = 0;
      return false;
    }
  }

  private byte[] checked(int length, int most, int checksum) throws IOException {
    if (length < 0 || length > most) {
      throw new IOException("the workload is damaged: a block of " + length + " bytes");
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException();
    }
    if (WorkloadWriter.checksum(bytes, length) != checksum) {
      throw new IOException("the workload is damaged: a checksum is wrong");
    }
    return bytes;
  }

  private static byte[] inflated(byte[] bytes, int length) throws IOException {
    var inflater = new Inflater();
    try {
      inflater.setInput(bytes);
      byte[] whole = new byte[length];
      int size = 0;
      while (size < length) {
        int more = inflater.inflate(whole, size, length - size);
        if (more == 0) {
          throw new IOException("the workload is damaged: a block is too short");
        }
        size += more;
      }
      return whole;
    } catch (DataFormatException e) {
      throw new IOException("the workload is damaged: " + e.getMessage(), e);
    } finally {
      inflater.end();
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
