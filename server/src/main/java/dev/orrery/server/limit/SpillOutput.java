package dev.orrery.server.limit;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes a temporary file by small parts: Java copies what it writes to memory outside of the heap,
 * of which there is little, and each thread would keep as much as it ever wrote at a time.
 */
public final class SpillOutput extends FilterOutputStream {
  private static final int PART_BYTES = 64 << 10;

  private SpillOutput(OutputStream file) {
    super(file);
  }

  /** A stream to the file, with a buffer. */
  public static OutputStream open(Path file) throws IOException {
    return open(file, PART_BYTES);
  }

  /** The same where there are many at a time. */
  public static OutputStream open(Path file, int bufferBytes) throws IOException {
    return new BufferedOutputStream(new SpillOutput(Files.newOutputStream(file)), bufferBytes);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    for (int done = 0; done < length; done += PART_BYTES) {
      out.write(bytes, offset + done, Math.min(PART_BYTES, length - done));
    }
  }
}
