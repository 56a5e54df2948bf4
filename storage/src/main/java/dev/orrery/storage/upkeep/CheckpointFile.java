package dev.orrery.storage.upkeep;

import dev.orrery.storage.Advice;
import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.keyindex.KeyIndexFiles;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/**
 * The engine's own part of a checkpoint: the catalog, from where the log must be replayed, and how
 * much of each segment is garbage, and how new the structures of each partition at least are.
 * Replaced atomically.
 *
 * <pre>
 * magic "ORRYCKPT" | version int32 | length int32 | CRC-32C of the rest int32 | BSON document
 * </pre>
 */
public final class CheckpointFile {
  private static final long MAGIC = 0x54504B435952524FL; // "ORRYCKPT" in this byte order
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 20;
  private static final int BYTES_EXPECTED = 16 << 10;

  private final Path path;
  private final boolean isDurable;

  public CheckpointFile(Path path, boolean isDurable) {
    this.path = path;
    this.isDurable = isDurable;
  }

  /**
   * @param store which store this is, a number that its files have too; 0 from versions without one
   * @param replayFrom everything up to and including this sequence number is in the structures
   * @param stamps by partition and structure, the sequence number it was saved with; one that is
   *     older, or missing, is damaged
   */
  public record Content(
      long store,
      long replayFrom,
      BsonDocument catalog,
      Map<Long, Long> garbage,
      Map<String, Map<String, Long>> stamps) {
    /** Of a store of which nothing is known yet but its number. */
    public static Content empty() {
      return new Content(0, 0, new Catalog().toBson(), Map.of(), Map.of());
    }

    public Content withStore(long number) {
      return new Content(number, replayFrom, catalog, garbage, stamps);
    }
  }

  /** The last checkpoint, or null when there is none. */
  public Content read() {
    if (!Files.exists(path)) {
      return null;
    }
    try {
      return parse(Files.readAllBytes(path));
    } catch (IOException e) { // a directory has its name, or the device does not give it
      throw corrupt(0, "it cannot be read: " + e.getMessage());
    }
  }

  private Content parse(byte[] bytes) {
    if (bytes.length < HEADER_BYTES || LittleEndian.int64(bytes, 0) != MAGIC) {
      throw corrupt(0, "not a checkpoint");
    }
    int version = LittleEndian.int32(bytes, 8);
    if (version != VERSION) {
      throw new StorageException(
          StorageException.Reason.UNUSABLE,
          path
              + " has format "
              + version
              + ", this version reads "
              + VERSION
              + Advice.onVersion(version, VERSION));
    }
    int length = LittleEndian.int32(bytes, 12);
    if (length != bytes.length - HEADER_BYTES
        || checksum(bytes, HEADER_BYTES, length) != LittleEndian.int32(bytes, 16)) {
      throw corrupt(HEADER_BYTES, "wrong checksum");
    }
    var document = RawDocument.wrap(bytes, HEADER_BYTES, length).toBsonDocument();
    var garbage = new TreeMap<Long, Long>();
    document
        .getDocument("garbage")
        .forEach((segment, dead) -> garbage.put(Long.valueOf(segment), dead.asInt64().getValue()));
    var stamps = new TreeMap<String, Map<String, Long>>();
    document
        .getDocument("stamps")
        .forEach((partition, of) -> stamps.put(partition, numbers(of.asDocument())));
    return new Content(
        document.getInt64("store", new BsonInt64(0)).getValue(),
        document.getInt64("replayFrom").getValue(),
        document.getDocument("catalog"),
        garbage,
        stamps);
  }

  private static Map<String, Long> numbers(BsonDocument document) {
    var numbers = new TreeMap<String, Long>();
    document.forEach((name, number) -> numbers.put(name, number.asInt64().getValue()));
    return numbers;
  }

  private static BsonDocument document(Map<String, Long> numbers) {
    var document = new BsonDocument();
    numbers.forEach((name, number) -> document.put(name, new BsonInt64(number)));
    return document;
  }

  private StorageException corrupt(int offset, String what) {
    return new StorageException(
        StorageException.Reason.CORRUPT,
        path + " at offset " + offset + ": " + what + Advice.DAMAGED);
  }

  public void write(Content content) {
    var garbage = new BsonDocument();
    content.garbage().forEach((segment, dead) -> garbage.put("" + segment, new BsonInt64(dead)));
    var stamps = new BsonDocument();
    content.stamps().forEach((partition, of) -> stamps.put(partition, document(of)));
    // Not the limits of a user's document: it holds the descriptions of all collections, and what
    // nests in one of them as deep as it may stands even deeper here.
    var encoder = new BsonEncoder(BYTES_EXPECTED);
    encoder.writeDocument(
        new BsonDocument("store", new BsonInt64(content.store()))
            .append("replayFrom", new BsonInt64(content.replayFrom()))
            .append("garbage", garbage)
            .append("stamps", stamps)
            .append("catalog", content.catalog()));
    byte[] body = encoder.toByteArray();
    byte[] bytes = new byte[HEADER_BYTES + body.length];
    LittleEndian.putInt64(bytes, 0, MAGIC);
    LittleEndian.putInt32(bytes, 8, VERSION);
    LittleEndian.putInt32(bytes, 12, body.length);
    LittleEndian.putInt32(bytes, 16, checksum(body, 0, body.length));
    System.arraycopy(body, 0, bytes, HEADER_BYTES, body.length);
    replace(bytes);
  }

  private void replace(byte[] bytes) {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    try {
      try (var channel = PrivateFiles.create(fresh)) {
        var buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        if (isDurable) {
          channel.force(true);
        }
      }
      if (Files.isDirectory(path)) {
        PrivateFiles.delete(path);
      }
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      forceDirectory();
    } catch (IOException e) {
      KeyIndexFiles.deleteQuietly(fresh);
      throw KeyIndexFiles.failure("write", path, e);
    }
  }

  private void forceDirectory() throws IOException {
    if (isDurable) {
      try (var directory = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
        directory.force(true);
      }
    }
  }

  private static int checksum(byte[] bytes, int offset, int length) {
    var crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
