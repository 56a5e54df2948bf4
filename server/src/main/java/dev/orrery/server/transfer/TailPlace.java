package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.bson.BsonDocument;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;

/** A file with the token behind which a stream goes on; replaced as a whole. */
final class TailPlace {
  private final Path file;

  TailPlace(Path file) {
    this.file = file.toAbsolutePath();
  }

  /** Null when there is none yet. */
  @Nullable BsonDocument read() throws IOException {
    try {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      return text.isBlank() ? null : BsonDocument.parse(text);
    } catch (NoSuchFileException e) {
      return null;
    } catch (JsonParseException e) {
      throw new TransferException(file + " holds no token: " + e.getMessage(), e);
    }
  }

  void write(BsonDocument token) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try (var channel = PrivateFiles.create(next)) {
      channel.truncate(0);
      ByteBuffer text = StandardCharsets.UTF_8.encode(token.toJson() + "\n");
      while (text.hasRemaining()) {
        channel.write(text);
      }
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
