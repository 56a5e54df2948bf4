package dev.orrery.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that holds the data, locked against other servers for as long as this one has it.
 * That of an ephemeral server is temporary, and removed at the end.
 */
public final class DataDirectory implements AutoCloseable {
  static final String LOCK_FILE = "orrery.lock";

  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  private final Path path;
  private final boolean isEphemeral;
  private final FileChannel channel;

  private DataDirectory(Path path, boolean isEphemeral, FileChannel channel) {
    this.path = path;
    this.isEphemeral = isEphemeral;
    this.channel = channel;
  }

  /**
   * Creates the directory if it is missing, and locks it.
   *
   * @throws IOException if that is impossible, or another server has it
   */
  public static DataDirectory open(ServerConfig.Storage storage) throws IOException {
    boolean isEphemeral = storage.isEphemeral();
    Path path = isEphemeral ? Files.createTempDirectory("orrery-") : create(storage.data());
    FileChannel channel = lockFile(path);
    if (!lock(channel)) {
      channel.close();
      throw new IOException("the data directory " + path + " is in use by another Orrery server");
    }
    return new DataDirectory(path, isEphemeral, channel);
  }

  public Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    channel.close(); // and with it the lock
    if (isEphemeral) {
      removeAll();
    }
  }

  private static Path create(Path path) throws IOException {
    try {
      return Files.createDirectories(path);
    } catch (FileSystemException e) {
      throw new IOException("cannot create the data directory " + path + ": " + e, e);
    }
  }

  private static FileChannel lockFile(Path path) throws IOException {
    try {
      return FileChannel.open(
          path.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (FileSystemException e) {
      throw new IOException("cannot write to the data directory " + path + ": " + e, e);
    }
  }

  private static boolean lock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // a server in this very process
    }
  }

  private void removeAll() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("the temporary directory {} could not be removed: {}", path, e.toString());
    }
  }
}
