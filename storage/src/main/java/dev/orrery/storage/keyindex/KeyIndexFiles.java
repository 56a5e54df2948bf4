package dev.orrery.storage.keyindex;

import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The directory of one key index: names of its files, and the order in which they become durable.
 */
public final class KeyIndexFiles {
  static final String MANIFEST = "MANIFEST";
  private static final String IMAGE_SUFFIX = ".image";
  private static final int SLICE_BYTES = 64 * 1024;
  private static final String MANIFEST_NEW = "MANIFEST.new";

  private final Path directory;
  private final boolean ephemeral;
  private long nextNumber = 1;
  private boolean isCreated;

  KeyIndexFiles(Path directory, boolean ephemeral) {
    this.directory = directory;
    this.ephemeral = ephemeral;
  }

  Path directory() {
    return directory;
  }

  Path manifest() {
    return directory.resolve(MANIFEST);
  }

  Path image(long number) {
    return directory.resolve(number + IMAGE_SUFFIX);
  }

  /** A number that no file of this index has had since it was opened. */
  synchronized long newNumber() {
    return nextNumber++;
  }

  /** Makes sure that new numbers are above this one. */
  synchronized void skipNumber(long used) {
    nextNumber = Math.max(nextNumber, used + 1);
  }

  /** A fresh path for a live map; creates the directory of an index that had none. */
  Path newLiveMap() {
    create();
    return directory.resolve(newNumber() + ".map");
  }

  synchronized void create() {
    if (isCreated) {
      return;
    }
    try {
      PrivateFiles.createDirectories(directory);
      syncDirectory(directory.toAbsolutePath().getParent());
      isCreated = true;
    } catch (IOException e) {
      throw failure("create", directory, e);
    }
  }

  void sync(FileChannel channel) throws IOException {
    if (!ephemeral) {
      channel.force(true);
    }
  }

  /** Puts a manifest in place: after a crash either the old or the new one is there, whole. */
  void replaceManifest(ByteBuffer content) {
    create();
    Path fresh = directory.resolve(MANIFEST_NEW);
    try {
      try (FileChannel channel = openNew(fresh)) {
        writeFully(channel, content);
        sync(channel);
      }
      syncDirectory(directory); // the images' names, before anything refers to them
      Files.move(fresh, manifest(), StandardCopyOption.ATOMIC_MOVE);
      syncDirectory(directory);
    } catch (IOException e) {
      throw failure("write", fresh, e);
    }
  }

  static FileChannel openNew(Path path) throws IOException {
    return PrivateFiles.create(path);
  }

  static void writeFully(FileChannel channel, ByteBuffer content) throws IOException {
    // In slices: the JDK keeps a direct buffer as large as the largest heap buffer per thread.
    for (int at = content.position(); at < content.limit(); ) {
      at += channel.write(content.slice(at, Math.min(SLICE_BYTES, content.limit() - at)));
    }
  }

  /** Deletes the images except those named. */
  void deleteImagesBut(Set<String> kept) {
    for (Path path : list()) {
      String name = path.getFileName().toString();
      if (name.endsWith(IMAGE_SUFFIX) && !kept.contains(name)) {
        deleteQuietly(path);
      }
    }
  }

  /** Deletes every file except those named; what cannot be deleted is left for the next time. */
  void deleteAllBut(Set<String> kept) {
    for (Path path : list()) {
      if (!kept.contains(path.getFileName().toString())) {
        deleteQuietly(path);
      }
    }
  }

  /** Deletes the files and the directory. */
  void deleteAll() {
    try {
      // The manifest first: without it the rest is rubbish, also after a crash half-way.
      if (Files.isDirectory(directory)) {
        PrivateFiles.delete(manifest());
      }
      PrivateFiles.delete(directory); // whatever it is
    } catch (IOException e) {
      throw failure("delete", directory, e);
    }
  }

  List<Path> list() {
    List<Path> paths = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(paths::add);
    } catch (NoSuchFileException e) {
      return paths; // a directory appears with its first file
    } catch (IOException e) {
      throw failure("list", directory, e);
    }
    return paths;
  }

  public static void deleteQuietly(Path path) {
    try {
      PrivateFiles.delete(path);
    } catch (IOException e) {
      // An unreferenced file only costs space, and the next open tries again.
      return;
    }
  }

  public static StorageException failure(String action, Path path, IOException cause) {
    String words = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    boolean isFull = words.contains("no space left") || words.contains("quota exceeded");
    return new StorageException(
        isFull ? Reason.DISK_FULL : Reason.IO,
        "cannot " + action + " " + path + ": " + cause.getMessage(),
        cause);
  }

  static StorageException corrupt(Path path, String what) {
    return new StorageException(Reason.CORRUPT, path + ": " + what);
  }

  static StorageException unusable(Path path, String what) {
    return new StorageException(Reason.UNUSABLE, path + ": " + what);
  }

  private void syncDirectory(Path path) throws IOException {
    if (ephemeral) {
      return;
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
