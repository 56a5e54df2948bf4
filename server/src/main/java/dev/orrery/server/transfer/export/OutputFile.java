package dev.orrery.server.transfer.export;

import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.storage.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/**
 * A file to write, packed by gzip or not, with the directories it needs; new ones are for their
 * owner only.
 */
public final class OutputFile {
  public static final String STANDARD_OUTPUT = "-";
  private static final int BUFFER_BYTES = 1 << 16;

  private OutputFile() {}

  public static OutputStream open(Path path, boolean isPacked) throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    try {
      PrivateFiles.createDirectories(parent); // it gets what all users together could read
      return packed(Channels.newOutputStream(PrivateFiles.create(path)), isPacked);
    } catch (FileAlreadyExistsException e) {
      throw new TransferException(parent + " is a file, and a directory is needed there.", e);
    } catch (IOException e) {
      throw new TransferException("Cannot write " + path + ": " + e.getMessage(), e);
    }
  }

  /** The standard output is flushed and left open at the end. */
  public static OutputStream standard(OutputStream out, boolean isPacked) throws IOException {
    return packed(new Unclosed(out), isPacked);
  }

  private static OutputStream packed(OutputStream out, boolean isPacked) throws IOException {
    return new BufferedOutputStream(
        isPacked ? new GZIPOutputStream(out, BUFFER_BYTES) : out, BUFFER_BYTES);
  }

  private static final class Unclosed extends FilterOutputStream {
    Unclosed(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
