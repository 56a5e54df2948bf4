package dev.orrery.server.cursor;

import dev.orrery.language.limit.SpillArea;
import dev.orrery.language.limit.SpillFile;
import dev.orrery.storage.PrivateFiles;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Puts away in temporary files of a directory, which is created with the first of them. */
public final class SpillDirectory implements SpillArea {
  private final Path directory;

  public SpillDirectory(Path directory) {
    this.directory = directory;
  }

  @Override
  public SpillFile create(String purpose) throws IOException {
    PrivateFiles.createDirectories(directory);
    return new TemporaryFile(PrivateFiles.createTempFile(directory, purpose, ".spill"));
  }

  /** One file; its handle is open while it is read. */
  private static final class TemporaryFile implements SpillFile {
    private final Path path;
    private @Nullable FileChannel channel;

    TemporaryFile(Path path) {
      this.path = path;
    }

    @Override
    public OutputStream output() throws IOException {
      return new InParts(Files.newOutputStream(path));
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      if (channel == null) {
        channel = FileChannel.open(path, StandardOpenOption.READ);
      }
      return channel.read(target, position);
    }

    @Override
    public long length() throws IOException {
      return Files.size(path);
    }

    @Override
    public void rest() throws IOException {
      if (channel != null) {
        channel.close();
        channel = null;
      }
    }

    @Override
    public void close() throws IOException {
      rest();
      Files.deleteIfExists(path);
    }
  }

  /**
   * Writes by small parts: Java copies what it writes to memory outside of the heap, of which there
   * is little, and each thread would keep as much as it ever wrote at a time.
   */
  private static final class InParts extends FilterOutputStream {
    private static final int PART_BYTES = 64 << 10;

    InParts(OutputStream file) {
      super(file);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      for (int done = 0; done < length; done += PART_BYTES) {
        out.write(bytes, offset + done, Math.min(PART_BYTES, length - done));
      }
    }
  }
}
