package dev.orrery.server.transfer.source;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

/** A file to read: counts the bytes that come from disk, and unpacks those that gzip packed. */
final class InputFile {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int GZIP_MAGIC = 0x8b1f;

  private InputFile() {}

  static InputStream open(Path path, AtomicLong bytesRead) throws IOException {
    if (Files.isDirectory(path)) {
      throw new TransferException(path + " is a directory, and a file was expected.");
    }
    try {
      return unpacked(Files.newInputStream(path), bytesRead, path.toString());
    } catch (NoSuchFileException e) {
      throw new TransferException("There is no file " + path + ".", e);
    }
  }

  /** The bytes, unpacked if they begin like a gzip file; nothing else a source can be does. */
  static InputStream unpacked(InputStream in, AtomicLong bytesRead, String name)
      throws IOException {
    var buffered = new BufferedInputStream(new Counting(in, bytesRead), BUFFER_BYTES);
    buffered.mark(2);
    int magic = buffered.read() | buffered.read() << 8;
    buffered.reset();
    if (magic != GZIP_MAGIC) {
      return buffered;
    }
    try {
      return new BufferedInputStream(new GZIPInputStream(buffered, BUFFER_BYTES), BUFFER_BYTES);
    } catch (IOException e) {
      throw new TransferException(
          name + " begins like a gzip file and is none: " + e.getMessage() + ".", e);
    }
  }

  private static final class Counting extends FilterInputStream {
    private final AtomicLong count;

    Counting(InputStream in, AtomicLong count) {
      super(in);
      this.count = count;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      if (read >= 0) {
        count.incrementAndGet();
      }
      return read;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = super.read(bytes, offset, length);
      if (read > 0) {
        count.addAndGet(read);
      }
      return read;
    }
  }
}
