package dev.orrery.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Creates files and directories that nobody but their owner can use, whatever the umask is. Every
 * file below a data directory is made here. File systems without owners are left as they are.
 */
public final class PrivateFiles {
  /*
   * The mode is given to the call that creates the file, so there is no moment at which another
   * could open it. What is there already keeps its mode when it is opened; mend() is for that.
   */

  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final FileAttribute<?>[] NONE = {};

  private PrivateFiles() {}

  /** Opens for writing, and empties or creates the file. */
  public static FileChannel create(Path path) throws IOException {
    return open(
        path,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }

  /** Opens for writing a file that is created if it is missing, and keeps what it holds. */
  public static FileChannel openOrCreate(Path path) throws IOException {
    return open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static FileChannel open(Path path, OpenOption... options) throws IOException {
    return FileChannel.open(path, Set.of(options), attributes(path, FILE));
  }

  /** An empty file where there is none. */
  public static Path createFile(Path path) throws IOException {
    return Files.createFile(path, attributes(path, FILE));
  }

  /** An empty file with a name that no other has. */
  public static Path createTempFile(Path directory, String prefix, String suffix)
      throws IOException {
    return Files.createTempFile(directory, prefix, suffix, attributes(directory, FILE));
  }

  /** A directory, and those above it that are missing. */
  public static Path createDirectories(Path path) throws IOException {
    return Files.createDirectories(path, attributes(path, DIRECTORY));
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return hasOwners(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : NONE;
  }

  private static boolean hasOwners(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Whether others than its owner may use what is there; false where there are no owners. */
  public static boolean isOpenToOthers(Path path) throws IOException {
    return hasOwners(path) && isOpenToOthers(Files.getPosixFilePermissions(path));
  }

  private static boolean isOpenToOthers(Set<PosixFilePermission> permissions) {
    return !DIRECTORY.containsAll(permissions);
  }

  /**
   * Takes from others what they may do with a directory and all that is in it, the directory first:
   * behind it nothing can be reached any more. Links are not followed, but for the one that the
   * directory itself may be.
   *
   * @throws IOException if something cannot be changed, as when another user owns it
   */
  public static void mend(Path directory) throws IOException {
    if (!hasOwners(directory)) {
      return;
    }
    Files.walkFileTree(
        directory.toRealPath(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
              throws IOException {
            close(path);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            if (!attributes.isSymbolicLink()) {
              close(path);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * Deletes a file, or a directory with all that is in it; nothing if there is neither. Links are
   * not followed. Modes that keep the owner out do not keep what is his.
   */
  public static void delete(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      if (hasOwners(path) && !(Files.isReadable(path) && Files.isExecutable(path))) {
        Files.setPosixFilePermissions(path, DIRECTORY);
      }
      List<Path> entries;
      try (Stream<Path> found = Files.list(path)) {
        entries = found.toList();
      }
      for (Path entry : entries) {
        delete(entry);
      }
    }
    Files.deleteIfExists(path);
  }

  private static void close(Path path) throws IOException {
    try {
      Set<PosixFilePermission> found = Files.getPosixFilePermissions(path);
      if (isOpenToOthers(found)) {
        var kept = EnumSet.noneOf(PosixFilePermission.class);
        kept.addAll(found);
        kept.retainAll(DIRECTORY);
        Files.setPosixFilePermissions(path, kept);
      }
    } catch (NoSuchFileException e) {
      return; // somebody deleted it meanwhile
    }
  }
}
