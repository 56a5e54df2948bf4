package dev.orrery.storage.log;

import dev.orrery.storage.log.Format.BadBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The file that says which segments belong to the log, so that one that is missing is noticed and
 * one whose deletion was begun is deleted for good. It is replaced as a whole.
 */
final class Manifest {

  /*
   * 0  8  magic "ORRERYMF", then
   * 8  4  version
   * 12 4  number of segments
   * 16 8  number of each segment, ascending
   *    4  checksum of all that
   */

  static final String FILE_NAME = "manifest";
  private static final String NEW_FILE_NAME = "manifest.new";
  private static final long MAGIC = 0x464d59524552524fL; // "ORRERYMF"

  private final SegmentFiles files;
  private final Path directory;

  Manifest(SegmentFiles files, Path directory) {
    this.files = files;
    this.directory = directory;
  }

  boolean exists() {
    return Files.exists(directory.resolve(FILE_NAME));
  }

  SortedSet<Long> read() throws IOException, BadBytes {
    ByteBuffer bytes = LogGroup.view(Files.readAllBytes(directory.resolve(FILE_NAME)));
    int count = bytes.limit() < 20 ? -1 : bytes.getInt(12);
    if (count < 0 || bytes.getLong(0) != MAGIC || bytes.limit() != 20L + 8L * count) {
      throw new BadBytes(0, "not a log manifest");
    }
    int end = 16 + 8 * count;
    if (bytes.getInt(end) != Format.checksum(bytes, 0, end)) {
      throw new BadBytes(0, "bad checksum of the manifest");
    }
    if (bytes.getInt(8) != Format.VERSION) {
      throw BadBytes.ofVersion(bytes.getInt(8), 8);
    }
    var numbers = new TreeSet<Long>();
    for (int at = 16; at < end; at += 8) {
      numbers.add(bytes.getLong(at));
    }
    return numbers;
  }

  /**
   * Replaces the file, or throws and leaves it as it was. The new one is there for good when the
   * directory has been forced.
   */
  void write(SortedSet<Long> numbers, boolean fsync) throws IOException {
    ByteBuffer bytes = Format.zeros(20 + 8 * numbers.size());
    bytes.putLong(MAGIC).putInt(Format.VERSION).putInt(numbers.size());
    numbers.forEach(bytes::putLong);
    bytes.putInt(Format.checksum(bytes, 0, bytes.position())).flip();
    Path fresh = directory.resolve(NEW_FILE_NAME);
    files.delete(fresh);
    try (SegmentFile file = files.open(fresh, true)) {
      file.write(bytes, 0);
      if (fsync) {
        file.force();
      }
      file.rename(directory.resolve(FILE_NAME));
    }
  }
}
