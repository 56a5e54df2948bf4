package dev.orrery.storage.keyindex;

import dev.orrery.storage.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A bucket's map file as it was at one moment, with no reader or writer inside: what a bucket is
 * restored from after the process ended in any way.
 *
 * <pre>
 * header   magic "ORKYIMG1", version, shape (capacity, key bytes on average, value bytes), entries,
 *          sum of key bytes, lsn, length of the map file
 * runs     (first page, number of pages, the pages)*, pages of 4 KiB; pages of zeros are left out
 * end      (0, 0), CRC-32C of everything before it
 * </pre>
 *
 * All numbers are little-endian. The last page of a file is padded with zeros.
 */
final class ChronicleBucketImage {
  private static final long MAGIC = 0x31474d49594b524fL; // "ORKYIMG1"

  /** Maps of version 1 have a checksum in each entry, and Chronicle's own access to arrays. */
  private static final int VERSION = 2;

  private static final int OLDEST_VERSION = 1; // a map's file says itself how it is to be read
  private static final int HEADER_BYTES = 52;
  private static final int TRAILER_BYTES = 12;
  private static final int PAGE = 4096;
  private static final byte[] ZEROS = new byte[PAGE];

  private final Header header;
  private final byte[] bytes;

  private ChronicleBucketImage(Header header, byte[] bytes) {
    this.header = header;
    this.bytes = bytes;
  }

  /** What an image says about itself. */
  record Header(ChronicleBucketShape shape, int entries, long keyBytes, long lsn, int fileLength) {}

  /** Copies a map file. The caller keeps readers and writers of the map out meanwhile. */
  static ChronicleBucketImage capture(ChronicleBucketMap map, long lsn) {
    byte[] file;
    try (var in = new FileInputStream(map.path().toFile())) {
      file = in.readAllBytes();
    } catch (IOException e) {
      throw KeyIndexFiles.failure("read", map.path(), e);
    }
    var header = new Header(map.shape(), map.size(), map.keyBytes(), lsn, file.length);
    return new ChronicleBucketImage(header, file);
  }

  Header header() {
    return header;
  }

  /** Writes the image to a new file and makes it durable; returns its checksum. */
  int write(Path path, KeyIndexFiles files) {
    ByteBuffer content = pack();
    files.create();
    try (FileChannel channel = KeyIndexFiles.openNew(path)) {
      KeyIndexFiles.writeFully(channel, content);
      files.sync(channel);
    } catch (IOException e) {
      KeyIndexFiles.deleteQuietly(path);
      throw KeyIndexFiles.failure("write", path, e);
    }
    return content.getInt(content.limit() - Integer.BYTES);
  }

  private ByteBuffer pack() {
    var out = new ByteArrayOutputStream(HEADER_BYTES + bytes.length / 4 * 3);
    var number = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    number.putLong(MAGIC).putInt(VERSION);
    number.putInt(header.shape.capacity()).putInt(header.shape.keyBytesAverage());
    number.putInt(header.shape.valueBytes()).putInt(header.entries).putLong(header.keyBytes);
    number.putLong(header.lsn).putInt(header.fileLength).putInt(0);
    out.write(number.array(), 0, HEADER_BYTES);
    int pages = (bytes.length + PAGE - 1) / PAGE;
    for (int first = nextPage(0, pages, false); first < pages; ) {
      int end = nextPage(first, pages, true);
      number.clear().putInt(first).putInt(end - first);
      out.write(number.array(), 0, 2 * Integer.BYTES);
      int length = Math.min(end * PAGE, bytes.length) - first * PAGE;
      out.write(bytes, first * PAGE, length);
      out.write(ZEROS, 0, (end - first) * PAGE - length);
      first = nextPage(end, pages, false);
    }
    out.write(ZEROS, 0, TRAILER_BYTES);
    ByteBuffer content = ByteBuffer.wrap(out.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    int crcAt = content.limit() - Integer.BYTES;
    return content.putInt(crcAt, checksum(content.array(), crcAt));
  }

  /** The next page, from this one on, that is all zeros or that is not. */
  private int nextPage(int from, int pages, boolean isZero) {
    int page = from;
    while (page < pages && isZeroPage(page) != isZero) {
      page++;
    }
    return page;
  }

  private boolean isZeroPage(int page) {
    int start = page * PAGE;
    int end = Math.min(start + PAGE, bytes.length);
    return Arrays.equals(bytes, start, end, ZEROS, 0, end - start);
  }

  /**
   * Reads and checks an image.
   *
   * @param checksum what the manifest says
   */
  static ChronicleBucketImage read(Path path, int checksum) {
    byte[] content;
    try (var in = new FileInputStream(path.toFile())) {
      content = in.readAllBytes();
    } catch (java.io.FileNotFoundException e) {
      throw KeyIndexFiles.corrupt(path, "the image is missing");
    } catch (IOException e) {
      throw KeyIndexFiles.failure("read", path, e);
    }
    int crcAt = content.length - Integer.BYTES;
    ByteBuffer in = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    if (content.length < HEADER_BYTES + TRAILER_BYTES || in.getLong() != MAGIC) {
      throw KeyIndexFiles.corrupt(path, "not an image of a bucket");
    }
    int version = in.getInt();
    if (in.getInt(crcAt) != checksum || checksum(content, crcAt) != checksum) {
      throw KeyIndexFiles.corrupt(path, "the checksum of the image is wrong");
    }
    if (version < OLDEST_VERSION || version > VERSION) {
      throw KeyIndexFiles.unusable(path, "image of version " + version + ", not " + VERSION);
    }
    var shape = new ChronicleBucketShape(in.getInt(), in.getInt(), in.getInt());
    var header = new Header(shape, in.getInt(), in.getLong(), in.getLong(), in.getInt());
    return new ChronicleBucketImage(header, unpack(in.position(HEADER_BYTES), header.fileLength));
  }

  private static byte[] unpack(ByteBuffer in, int fileLength) {
    byte[] file = new byte[fileLength];
    for (int first = in.getInt(), count = in.getInt(); count > 0; ) {
      int start = first * PAGE;
      int length = Math.min(count * PAGE, fileLength - start);
      in.get(file, start, length);
      in.position(in.position() + count * PAGE - length);
      first = in.getInt();
      count = in.getInt();
    }
    return file;
  }

  /** Makes a live map of the image. Pages of zeros are written too: see the map's reserve. */
  ChronicleBucketMap restore(Path path) {
    try {
      PrivateFiles.createFile(path);
      try (var out = new FileOutputStream(path.toFile())) { // unlike a channel, not interruptible
        out.write(bytes);
      }
    } catch (IOException e) {
      KeyIndexFiles.deleteQuietly(path);
      throw KeyIndexFiles.failure("write", path, e);
    }
    return ChronicleBucketMap.open(path, header);
  }

  static int checksum(byte[] bytes, int length) {
    var crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
