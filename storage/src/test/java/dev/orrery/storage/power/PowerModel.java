package dev.orrery.storage.power;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a device holds for sure: the bytes of each file at its last fsync, and the names in each
 * directory at the directory's last fsync. {@link #cut} makes a directory as a power cut may leave
 * it: of everything else the old, the new, a mix of both by sectors, or garbage.
 */
final class PowerModel {
  private static final int SECTOR_BYTES = 512;

  /** A file, whatever it is called. */
  static final class Inode {
    private Path path;
    private byte[] durable = {};
  }

  /** Runs inside the model, before a force takes effect. */
  interface BeforeForce {
    void run(int number) throws IOException;
  }

  /** Runs before an operation that changes files takes effect. */
  interface BeforeOperation {
    void run(String operation) throws IOException;
  }

  /** An operation on the real disk. */
  interface Operation<T> {
    T run() throws IOException;
  }

  private final Path root;
  private final Map<Path, Inode> names = new TreeMap<>();
  private final Map<Path, Map<Path, Inode>> durableNames = new HashMap<>();
  private BeforeForce beforeForce = number -> {};
  private volatile Runnable between = () -> {};
  private BeforeOperation beforeOperation = operation -> {};
  private int forces;

  PowerModel(Path root) {
    this.root = root;
  }

  synchronized void beforeForce(BeforeForce action) {
    beforeForce = action;
  }

  /**
   * @param between called before each operation while the disk is free: others may use it
   * @param before called before each operation while nothing else happens to the disk
   */
  synchronized void beforeOperations(Runnable between, BeforeOperation before) {
    this.between = between;
    this.beforeOperation = before;
  }

  /** Runs one operation, and no other at the same time: a copy between two is of one moment. */
  <T> T perform(String what, Operation<T> operation) throws IOException {
    between.run();
    synchronized (this) {
      beforeOperation.run(what);
      return operation.run();
    }
  }

  /** Takes what is there as on the device. */
  synchronized void adopt() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.toList()) {
        if (Files.isRegularFile(path)) {
          create(path).durable = read(path);
        }
      }
    }
    names.keySet().forEach(path -> durableNames.put(path.getParent(), namesIn(path.getParent())));
  }

  synchronized Inode create(Path path) {
    var inode = new Inode();
    inode.path = path;
    names.put(path, inode);
    return inode;
  }

  synchronized Inode find(Path path) {
    Inode inode = names.get(path);
    return inode == null ? create(path) : inode;
  }

  synchronized void delete(Path path) {
    names.remove(path);
  }

  synchronized void move(Path source, Path target) {
    Inode inode = names.remove(source);
    if (inode != null) {
      inode.path = target;
      names.put(target, inode);
    }
  }

  void force(Inode inode) throws IOException {
    perform("force " + inode.path, () -> forceNow(inode));
  }

  private Void forceNow(Inode inode) throws IOException {
    beforeForce.run(++forces);
    if (names.get(inode.path) == inode) {
      inode.durable = read(inode.path);
    }
    return null;
  }

  void forceDirectory(Path directory) throws IOException {
    perform(
        "force directory " + directory,
        () -> {
          beforeForce.run(++forces);
          return durableNames.put(directory, namesIn(directory));
        });
  }

  private Map<Path, Inode> namesIn(Path directory) {
    var present = new TreeMap<Path, Inode>();
    names.forEach(
        (path, inode) -> {
          if (path.getParent().equals(directory)) {
            present.put(path, inode);
          }
        });
    return present;
  }

  private static byte[] read(Path path) throws IOException {
    try {
      return Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      return new byte[0];
    }
  }

  /** Writes what a restart may find to an empty directory. */
  synchronized void cut(Path target, Random random) throws IOException {
    var directories = new TreeMap<Path, Boolean>();
    names.keySet().forEach(path -> directories.put(path.getParent(), true));
    durableNames.keySet().forEach(path -> directories.put(path, true));
    for (Path directory : directories.keySet()) {
      boolean isAsForced = random.nextBoolean();
      Map<Path, Inode> present =
          isAsForced ? durableNames.getOrDefault(directory, Map.of()) : namesIn(directory);
      for (Map.Entry<Path, Inode> entry : present.entrySet()) {
        Path copy = target.resolve(root.relativize(entry.getKey()).toString());
        Files.createDirectories(copy.getParent());
        Files.write(copy, content(entry.getValue(), random));
      }
    }
  }

  /** The bytes of a file: what was forced, and of what was not anything. */
  private byte[] content(Inode inode, Random random) throws IOException {
    byte[] before = inode.durable;
    byte[] now = names.get(inode.path) == inode ? read(inode.path) : before;
    byte[] found = new byte[random.nextBoolean() ? before.length : now.length];
    for (int at = 0; at < found.length; at += SECTOR_BYTES) {
      int end = Math.min(found.length, at + SECTOR_BYTES);
      boolean isNew = random.nextBoolean();
      boolean isGarbage = at >= before.length && random.nextInt(4) == 0;
      for (int i = at; i < end; i++) {
        // An overwritten sector has the old bytes or the new ones; one behind the end anything.
        if (isGarbage) {
          found[i] = (byte) random.nextInt(256);
        } else if (i < now.length && (isNew || i >= before.length)) {
          found[i] = isNew ? now[i] : 0;
        } else {
          found[i] = i < before.length ? before[i] : 0;
        }
      }
    }
    return found;
  }
}
