package dev.orrery.storage.keyindex;

import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import net.openhft.chronicle.hash.serialization.impl.ByteArraySizedReader;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.MapEntry;

/**
 * Entries in one Chronicle Map file. The file is scratch: it is never trusted after the process
 * ends, because a killed process leaves Chronicle's own locks inside it.
 */
final class ChronicleBucketMap implements KeyIndexEntries {
  /*
   * Chronicle sizes the one segment generously: asked for n entries, its first tier takes 1.2 n to
   * 1.7 n of them (measured), depending on how near n is to a power of two. So n is the capacity
   * divided by 1.2, and a map always takes what it was made for. The capacities of full buckets
   * (52,000 = 0.8 * 2^16 slots, and quarters of it) waste the least: 68 bytes of file an entry.
   */
  private static final double TIER_SLACK = 1.2;
  private static final long SPACE_MARGIN_BYTES = 1 << 20;
  private static final int COPY_BYTES = 64 * 1024;

  static {
    // Chronicle reads it when its first class is loaded, which is the next thing that happens here.
    System.setProperty("chronicle.announcer.disable", "true");
  }

  private final Path path;
  private final ChronicleMap<byte[], byte[]> map;
  private final ChronicleBucketShape shape;
  private int size;
  private long keyBytes;
  private boolean isFull;

  private ChronicleBucketMap(
      Path path, ChronicleMap<byte[], byte[]> map, ChronicleBucketShape shape) {
    this.path = path;
    this.map = map;
    this.shape = shape;
  }

  /** An empty map in a new file whose space is reserved on disk. */
  static ChronicleBucketMap create(Path path, ChronicleBucketShape shape) {
    try {
      requireSpace(path, shape);
      PrivateFiles.createFile(path); // Chronicle takes an empty file for a new one
      ChronicleMap<byte[], byte[]> map = builder(shape).createPersistedTo(path.toFile());
      var bucket = new ChronicleBucketMap(path, map, shape);
      bucket.reserve();
      return bucket;
    } catch (IOException e) {
      KeyIndexFiles.deleteQuietly(path);
      throw KeyIndexFiles.failure("create", path, e);
    } catch (RuntimeException | Error e) { // Chronicle's, or that of a page that has no block
      KeyIndexFiles.deleteQuietly(path);
      throw e;
    }
  }

  /** Opens a file that was just restored from an image. */
  static ChronicleBucketMap open(Path path, ChronicleBucketImage.Header header) {
    try {
      ChronicleMap<byte[], byte[]> map = builder(header.shape()).createPersistedTo(path.toFile());
      var bucket = new ChronicleBucketMap(path, map, header.shape());
      bucket.size = header.entries();
      bucket.keyBytes = header.keyBytes();
      return bucket;
    } catch (IOException e) {
      throw KeyIndexFiles.failure("open", path, e);
    }
  }

  private static ChronicleMapBuilder<byte[], byte[]> builder(ChronicleBucketShape shape) {
    long entries = Math.max(1, (long) Math.ceil(shape.capacity() / TIER_SLACK));
    return ChronicleMapBuilder.of(byte[].class, byte[].class)
        .entries(entries)
        .actualSegments(1) // the bucket's lock admits one writer anyway
        .entriesPerSegment(entries)
        .averageKeySize(shape.keyBytesAverage())
        .keyReaderAndDataAccess(ByteArraySizedReader.INSTANCE, new ArrayAccess())
        .valueReaderAndDataAccess(ByteArraySizedReader.INSTANCE, new ArrayAccess())
        .constantValueSizeBySample(new byte[shape.valueBytes()])
        .maxBloatFactor(1)
        .checksumEntries(false) // images have checksums, and no other file is read back
        .allowSegmentTiering(false) // a file that never grows stays reserved
        .skipCloseOnExitHook(true) // the engine stops in its own order, with a last checkpoint
        .sparseFile(true);
  }

  Path path() {
    return path;
  }

  ChronicleBucketShape shape() {
    return shape;
  }

  @Override
  public byte[] find(byte[] key) {
    return map.getUsing(key, new byte[shape.valueBytes()]);
  }

  @Override
  public byte[] put(byte[] key, byte[] value) {
    if (!hasRoomFor(ChronicleBucketShape.Need.of(key)) && !map.containsKey(key)) {
      return NO_ROOM;
    }
    byte[] previous;
    try {
      previous = map.put(key, value);
    } catch (IllegalStateException e) {
      return noGap(e);
    }
    if (previous == null) {
      size++;
      keyBytes += key.length;
    }
    return previous;
  }

  @Override
  public boolean hasRoomFor(ChronicleBucketShape.Need extra) {
    return !isFull
        && size + extra.entries() <= shape.capacity()
        && keyBytes + extra.keyBytes() <= shape.keyBytesMax();
  }

  /** Removed keys of mixed lengths left no gap long enough; Chronicle stored nothing. */
  private byte[] noGap(IllegalStateException failure) {
    if (!map.isOpen()) {
      throw failure;
    }
    isFull = true;
    return NO_ROOM;
  }

  @Override
  public byte[] remove(byte[] key) {
    byte[] previous = map.remove(key);
    if (previous != null) {
      size--;
      keyBytes -= key.length;
    }
    return previous;
  }

  @Override
  public void forEach(BiConsumer<byte[], byte[]> visitor) {
    map.forEachEntry((MapEntry<byte[], byte[]> entry) -> visit(entry, visitor));
  }

  private static void visit(MapEntry<byte[], byte[]> entry, BiConsumer<byte[], byte[]> visitor) {
    visitor.accept(entry.key().getUsing(null), entry.value().getUsing(null));
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long keyBytes() {
    return keyBytes;
  }

  @Override
  public void discard() {
    map.close();
    KeyIndexFiles.deleteQuietly(path);
  }

  /** Chronicle writes a new file through memory: too late to hear that the disk is full. */
  private static void requireSpace(Path path, ChronicleBucketShape shape) throws IOException {
    long needed = SPACE_MARGIN_BYTES + shape.fileBytesAbout();
    if (path.getParent().toFile().getUsableSpace() < needed) {
      throw new IOException(
          "No space left on device: a map needs " + needed + " bytes; free so much and try again");
    }
  }

  /**
   * Writes every page of the file once. A store to a mapped page that has no block yet kills the
   * process when the disk is full; a write() is an IOException.
   */
  private void reserve() throws IOException {
    byte[] buffer = new byte[COPY_BYTES];
    try (var file = new RandomAccessFile(path.toFile(), "rw")) {
      long length = file.length();
      for (long at = 0; at < length; at += buffer.length) {
        int count = (int) Math.min(buffer.length, length - at);
        file.seek(at);
        file.readFully(buffer, 0, count);
        file.seek(at);
        file.write(buffer, 0, count);
      }
    } catch (IOException e) {
      map.close();
      throw e;
    }
  }
}
