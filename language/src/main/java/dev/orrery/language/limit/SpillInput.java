package dev.orrery.language.limit;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Reads what was put away from its beginning to its end. Between two reads it can {@link #rest}:
 * then it has neither a buffer nor an open file, and goes on from the same place when it is read
 * again.
 */
public final class SpillInput extends InputStream {
  private static final int BUFFER_BYTES = 16 << 10;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SpillFile file;
  private ByteBuffer buffer = NOTHING;
  private long position; // of the first byte after the buffer

  public SpillInput(SpillFile file) {
    this.file = file;
  }

  @Override
  public int read() throws IOException {
    return hasMore() ? buffer.get() & 0xFF : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!hasMore()) {
      return -1;
    }
    int count = Math.min(length, buffer.remaining());
    buffer.get(target, offset, count);
    return count;
  }

  /** So many bytes. */
  public byte[] readExactly(int count) throws IOException {
    byte[] bytes = new byte[count];
    if (readNBytes(bytes, 0, count) < count) {
      throw new EOFException("the file ends early");
    }
    return bytes;
  }

  /** Whether the end has not been reached. */
  public boolean hasMore() throws IOException {
    if (buffer.hasRemaining()) {
      return true;
    }
    if (buffer.capacity() == 0) {
      buffer = ByteBuffer.allocate(BUFFER_BYTES);
    }
    buffer.clear();
    int count = file.read(buffer, position);
    buffer.flip();
    position += Math.max(0, count);
    return count > 0;
  }

  /** Where the next byte comes from. */
  public long position() {
    return position - buffer.remaining();
  }

  /** Goes on from another place. */
  public void position(long place) {
    position = place;
    buffer = NOTHING;
  }

  /** Gives its buffer and its file handle up, until it is read again. */
  public void rest() throws IOException {
    position(position());
    file.rest();
  }
}
