package dev.orrery.server;

import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that holds the data, locked against other servers for as long as this one has it.
 * That of an ephemeral server is temporary, and removed at the end.
 */
public final class DataDirectory implements AutoCloseable {
  static final String LOCK_FILE = "orrery.lock";
  private static final String TEMPORARY = "tmp";

  /** What people put on other disks, with a link in its place. */
  private static final List<String> MOVABLE = List.of("log", "partitions");

  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  private final Path path;
  private final boolean isEphemeral;
  private final @Nullable FileChannel channel;
  private final Path temporary;

  private DataDirectory(
      Path path, boolean isEphemeral, @Nullable FileChannel channel, Path temporary) {
    this.path = path;
    this.temporary = temporary;
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
      throw inUse(path);
    }
    mend(path);
    var directory =
        new DataDirectory(path, isEphemeral, channel, temporary(path, storage.temporary()));
    directory.remove(directory.temporary()); // what a server left that was killed
    return directory;
  }

  /** A place that no server with other data has, and that this one finds again. */
  private static Path temporary(Path path, @Nullable Path elsewhere) throws IOException {
    if (elsewhere == null) {
      return path.resolve(TEMPORARY);
    }
    byte[] name = path.toRealPath().toString().getBytes(StandardCharsets.UTF_8);
    return elsewhere.resolve("orrery-" + UUID.nameUUIDFromBytes(name));
  }

  /**
   * Makes sure that no server has the directory, and leaves every byte and date in it as it is. On
   * a disk that cannot be written to nobody can have it.
   */
  static DataDirectory lockWithoutWriting(Path path) throws IOException {
    FileChannel channel = null;
    try {
      channel = FileChannel.open(path.resolve(LOCK_FILE), StandardOpenOption.WRITE);
    } catch (FileSystemException e) { // missing, or read-only
      LOG.debug("{} is read without a lock: {}", path, e.toString());
    }
    if (channel != null && !lock(channel)) {
      channel.close();
      throw inUse(path);
    }
    return new DataDirectory(path, false, channel, path.resolve(TEMPORARY));
  }

  private static IOException inUse(Path path) {
    return new IOException("the data directory " + path + " is in use by another Orrery server");
  }

  public Path path() {
    return path;
  }

  /** Whether nothing in it outlives the server. */
  boolean isEphemeral() {
    return isEphemeral;
  }

  /** Where large sorts spill; empty when the server starts. */
  public Path temporary() {
    return temporary;
  }

  @Override
  public void close() throws IOException {
    if (!temporary.startsWith(path)) {
      remove(temporary);
    }
    if (channel != null) {
      channel.close(); // and with it the lock
    }
    if (isEphemeral) {
      remove(path);
    }
  }

  private static Path create(Path path) throws IOException {
    try {
      Path parent = path.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent); // not ours: as the umask has it
      }
      return PrivateFiles.createDirectories(path);
    } catch (FileSystemException e) {
      throw new IOException("cannot create the data directory " + path + ": " + e, e);
    }
  }

  private static FileChannel lockFile(Path path) throws IOException {
    try {
      return PrivateFiles.openOrCreate(path.resolve(LOCK_FILE));
    } catch (FileSystemException e) {
      throw new IOException("cannot write to the data directory " + path + ": " + e, e);
    }
  }

  /**
   * Takes the rights of others away that older versions, or somebody with chmod, gave them. Files
   * are looked at only when the directory itself lets others in: else nobody gets to them.
   */
  private static void mend(Path path) {
    List<Path> ours = new ArrayList<>(List.of(path));
    for (String name : MOVABLE) {
      Path directory = path.resolve(name);
      if (Files.isSymbolicLink(directory) && Files.isDirectory(directory)) {
        ours.add(directory); // moved to another disk
      }
    }
    for (Path directory : ours) {
      try {
        if (PrivateFiles.isOpenToOthers(directory)) {
          PrivateFiles.mend(directory);
          LOG.warn("other users could get at {}; now only its owner can", directory);
        }
      } catch (IOException e) {
        LOG.warn(
            "other users may get at {}, and that cannot be changed ({}); use chmod -R go= {}",
            directory,
            e.toString(),
            directory);
      }
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

  private void remove(Path root) {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("the temporary directory {} could not be removed: {}", root, e.toString());
    }
  }
}
