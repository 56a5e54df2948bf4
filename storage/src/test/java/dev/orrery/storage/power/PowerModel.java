package dev.orrery.storage.power;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

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

  private final Path root;
  private final Map<Path, Inode> names = new TreeMap<>();
  private final Map<Path, Map<Path, Inode>> durableNames = new HashMap<>();
  private BeforeForce beforeForce = number -> {};
  private int forces;

  PowerModel(Path root) {
    this.root = root;
  }

  synchronized void beforeForce(BeforeForce action) {
    beforeForce = action;
  }

  synchronized int forces() {
    return forces;
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

  synchronized void force(Inode inode) throws IOException {
    beforeForce.run(++forces);
    if (names.get(inode.path) == inode) {
      inode.durable = read(inode.path);
    }
  }

  synchronized void forceDirectory(Path directory) throws IOException {
    beforeForce.run(++forces);
    durableNames.put(directory, namesIn(directory));
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
