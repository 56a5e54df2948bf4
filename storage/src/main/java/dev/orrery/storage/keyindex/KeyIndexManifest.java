package dev.orrery.storage.keyindex;

import dev.orrery.storage.index.FileOwner;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The checkpoint of a key index: one row for each bucket, in the order of their hash ranges. The
 * rows cover all hashes exactly once.
 *
 * <pre>
 * magic "ORKYMAN1", version, longs in a value, number of rows
 * row      depth, prefix, lsn, kind
 *   0 heap   number of entries, (key length, key, value)*
 *   1 image  number of the image file, its checksum, number of entries
 * whose it is ({@link FileOwner}; nothing in older versions)
 * CRC-32C of everything before it
 * </pre>
 *
 * All numbers are big-endian.
 */
public record KeyIndexManifest(int valueLongs, FileOwner owner, List<Row> rows) {
  private static final long MAGIC = 0x4f524b594d414e31L; // "ORKYMAN1"
  private static final int VERSION = 1;
  private static final int HEAP = 0;
  private static final int IMAGE = 1;

  public KeyIndexManifest {
    rows = List.copyOf(rows);
  }

  /**
   * One bucket.
   *
   * @param heap its entries when they are few and not left out, else null
   */
  record Row(
      int depth,
      long prefix,
      long lsn,
      KeyIndexHeap heap,
      long imageNumber,
      int imageChecksum,
      int size) {
    boolean hasImage() {
      return imageNumber != ChronicleBucket.NO_IMAGE;
    }

    Row withoutEntries() {
      return new Row(depth, prefix, lsn, null, imageNumber, imageChecksum, size);
    }

    Row withImage(long number, int checksum) {
      return new Row(depth, prefix, lsn, null, number, checksum, size);
    }
  }

  /** The same without what buckets on the heap hold, which need not be in memory twice. */
  KeyIndexManifest withoutEntries() {
    return new KeyIndexManifest(valueLongs, owner, rows.stream().map(Row::withoutEntries).toList());
  }

  /** The entries of an index that is small enough to have no image: it has one bucket. */
  KeyIndexHeap heap() {
    return rows.get(0).heap;
  }

  /** The lsn that every bucket has reached. */
  long lsn() {
    return rows.stream().mapToLong(Row::lsn).min().orElse(KeyIndex.NEVER);
  }

  /** The lsn that no bucket has passed. */
  public long newestLsn() {
    return rows.stream().mapToLong(Row::lsn).max().orElse(KeyIndex.NEVER);
  }

  /** Whether it says what such a file must say. */
  boolean isOf(FileOwner wanted) {
    return wanted.isNone() || owner.equals(wanted);
  }

  /** The names of the files that make up this checkpoint. */
  Set<String> fileNames(KeyIndexFiles files) {
    Set<String> names =
        rows.stream()
            .filter(Row::hasImage)
            .map(row -> files.image(row.imageNumber).getFileName().toString())
            .collect(Collectors.toSet());
    names.add(KeyIndexFiles.MANIFEST);
    return names;
  }

  ByteBuffer encode() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeLong(MAGIC);
      out.writeInt(VERSION);
      out.writeInt(valueLongs);
      out.writeInt(rows.size());
      for (Row row : rows) {
        encode(row, out);
      }
      if (!owner.isNone()) {
        var last = ByteBuffer.allocate(FileOwner.BYTES);
        owner.put(last);
        out.write(last.array());
      }
      out.writeInt(ChronicleBucketImage.checksum(bytes.toByteArray(), bytes.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  private static void encode(Row row, DataOutputStream out) throws IOException {
    out.writeInt(row.depth);
    out.writeLong(row.prefix);
    out.writeLong(row.lsn);
    out.writeByte(row.hasImage() ? IMAGE : HEAP);
    if (row.hasImage()) {
      out.writeLong(row.imageNumber);
      out.writeInt(row.imageChecksum);
      out.writeInt(row.size);
      return;
    }
    out.writeInt(row.size);
    List<byte[]> parts = new ArrayList<>();
    row.heap.forEach(
        (key, value) -> {
          parts.add(key);
          parts.add(value);
        });
    for (int i = 0; i < parts.size(); i += 2) {
      out.writeInt(parts.get(i).length);
      out.write(parts.get(i));
      out.write(parts.get(i + 1));
    }
  }

  /** The manifest in the directory, or null when no checkpoint was ever completed there. */
  static KeyIndexManifest read(KeyIndexFiles files, KeyIndexOptions options) {
    Path path = files.manifest();
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw KeyIndexFiles.failure("read", path, e);
    }
    try {
      return decode(ByteBuffer.wrap(bytes), path, options);
    } catch (BufferUnderflowException e) {
      throw KeyIndexFiles.corrupt(path, "the manifest is cut short");
    }
  }

  private static KeyIndexManifest decode(ByteBuffer in, Path path, KeyIndexOptions options) {
    if (in.getLong() != MAGIC) {
      throw KeyIndexFiles.corrupt(path, "not a manifest of a key index");
    }
    int version = in.getInt();
    int crcAt = in.limit() - Integer.BYTES;
    if (crcAt < in.position()
        || ChronicleBucketImage.checksum(in.array(), crcAt) != in.getInt(crcAt)) {
      throw KeyIndexFiles.corrupt(path, "the checksum of the manifest is wrong");
    }
    if (version != VERSION) {
      throw KeyIndexFiles.unusable(path, "manifest of version " + version + ", not " + VERSION);
    }
    int valueLongs = in.getInt();
    if (valueLongs != options.valueLongs()) {
      throw KeyIndexFiles.corrupt(
          path, "values of " + valueLongs + " longs, not " + options.valueLongs());
    }
    List<Row> rows = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      rows.add(decodeRow(in, options));
    }
    boolean isTold = crcAt - in.position() >= FileOwner.BYTES;
    FileOwner owner = isTold ? FileOwner.get(in) : FileOwner.NONE;
    String objection = options.owner().objection(owner);
    if (objection != null) {
      throw KeyIndexFiles.corrupt(path, objection);
    }
    return new KeyIndexManifest(valueLongs, owner, rows);
  }

  private static Row decodeRow(ByteBuffer in, KeyIndexOptions options) {
    int depth = in.getInt();
    long prefix = in.getLong();
    long lsn = in.getLong();
    if (in.get() == IMAGE) {
      return new Row(depth, prefix, lsn, null, in.getLong(), in.getInt(), in.getInt());
    }
    int size = in.getInt();
    var heap = new KeyIndexHeap(Math.max(size, options.heapEntriesMax()), options.valueBytes());
    for (int i = 0; i < size; i++) {
      byte[] key = new byte[in.getInt()];
      byte[] value = new byte[options.valueBytes()];
      in.get(key).get(value);
      heap.put(key, value);
    }
    return new Row(depth, prefix, lsn, heap, ChronicleBucket.NO_IMAGE, 0, size);
  }
}
