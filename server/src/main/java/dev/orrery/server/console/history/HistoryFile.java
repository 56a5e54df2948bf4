package dev.orrery.server.console.history;

import dev.orrery.storage.PrivateFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in which the history outlives the server: eight bytes that name the format and its
 * version, a checksum (CRC-32, four bytes) of the rest, and the rest, packed by gzip. It is written
 * beside the old one and takes its place, so a crash leaves one of them. A file that cannot be read
 * is left out: nothing depends on it.
 */
final class HistoryFile {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryFile.class);

  /** "ORRHIST" and the version. */
  private static final long MAGIC_VERSION_1 = 0x4F_52_52_48_49_53_54_01L;

  private static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;
  private static final String NAME = "history";

  private final Path directory;

  HistoryFile(Path directory) {
    this.directory = directory;
  }

  /** Whatever is kept. */
  record Contents(HeatHistory heat, UsageHistory usage, RepartitionLog repartitions) {}

  void write(Contents contents) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(new GZIPOutputStream(packed))) {
      contents.heat.write(out);
      contents.usage.write(out);
      contents.repartitions.write(out);
    }
    byte[] body = packed.toByteArray();
    var checksum = new CRC32();
    checksum.update(body);
    ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + body.length);
    bytes.putLong(MAGIC_VERSION_1).putInt((int) checksum.getValue()).put(body).flip();
    PrivateFiles.createDirectories(directory);
    Path fresh = directory.resolve(NAME + ".new");
    Files.deleteIfExists(fresh);
    try (FileChannel channel = PrivateFiles.create(fresh)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
    Files.move(
        fresh,
        directory.resolve(NAME),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** Fills what is empty. */
  void read(Contents contents) {
    Path file = directory.resolve(NAME);
    if (!Files.exists(file)) {
      return;
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
      if (bytes.remaining() < HEAD_BYTES || bytes.getLong() != MAGIC_VERSION_1) {
        throw new IOException("it is of another version");
      }
      int expected = bytes.getInt();
      var checksum = new CRC32();
      checksum.update(bytes.duplicate());
      if ((int) checksum.getValue() != expected) {
        throw new IOException("it is damaged");
      }
      try (var in = new DataInputStream(new GZIPInputStream(rest(bytes)))) {
        contents.heat.read(in);
        contents.usage.read(in);
        contents.repartitions.read(in);
      }
    } catch (IOException e) {
      LOG.warn("the console begins without its history: {}: {}", file, e.getMessage());
    }
  }

  private static ByteArrayInputStream rest(ByteBuffer bytes) {
    return new ByteArrayInputStream(bytes.array(), bytes.position(), bytes.remaining());
  }
}
