package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * How far an import has come, in a file that outlives it: for each collection of the source the
 * number of records before which everything is acknowledged, and whether its indexes are there. The
 * file is replaced as a whole, after it was forced to disk.
 */
public final class ImportState {
  private static final String FORMAT = "orrery-import-1";

  /** Of one collection. */
  public record Entry(long records, String ids, boolean isIndexed) {}

  private final @Nullable Path file;
  private final String fingerprint;
  private final boolean isResumed;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private boolean isComplete;

  private ImportState(@Nullable Path file, String fingerprint, boolean isResumed) {
    this.file = file;
    this.fingerprint = fingerprint;
    this.isResumed = isResumed;
  }

  /** Of an import that cannot be resumed. */
  static ImportState none() {
    return new ImportState(null, "", false);
  }

  /**
   * Reads the file if there is one.
   *
   * @param fingerprint of the source, and of where it goes
   * @throws TransferException if the file belongs to another import
   */
  public static ImportState open(Path file, String fingerprint) throws IOException {
    if (!Files.exists(file)) {
      return new ImportState(file, fingerprint, false);
    }
    BsonDocument document;
    try {
      document = BsonDocument.parse(Files.readString(file));
      if (!document.getString("format").getValue().equals(FORMAT)) {
        throw new TransferException(file + " was written by another version; remove it.");
      }
    } catch (RuntimeException e) { // of the bson library
      throw new TransferException(
          file + " is no state of an import (" + e.getMessage() + "); remove it to start anew.", e);
    }
    if (!document.getString("source").getValue().equals(fingerprint)) {
      throw new TransferException(
          file
              + " belongs to another import: the source has changed, or other collections or another"
              + " server were asked for. Remove the file to start anew.");
    }
    var state = new ImportState(file, fingerprint, true);
    document
        .getDocument("collections")
        .forEach((name, entry) -> state.entries.put(name, entry(entry.asDocument())));
    return state;
  }

  private static Entry entry(BsonDocument document) {
    return new Entry(
        document.getNumber("records").longValue(),
        document.getString("ids").getValue(),
        document.getBoolean("isIndexed").getValue());
  }

  /** Whether an earlier import got a part of the way. */
  boolean isResumed() {
    return isResumed;
  }

  synchronized @Nullable Entry find(String namespace) {
    return entries.get(namespace);
  }

  /** Writes down how far a collection is; returns when that is on disk. */
  public synchronized void save(String namespace, Entry entry) throws IOException {
    entries.put(namespace, entry);
    if (file == null || isComplete) { // a thread of the last batch may tell of it late
      return;
    }
    Path next = file.resolveSibling(file.getFileName() + ".new");
    try (var channel = PrivateFiles.create(next)) {
      channel.write(ByteBuffer.wrap(toJson().getBytes(StandardCharsets.UTF_8)));
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private String toJson() {
    var collections = new BsonDocument();
    entries.forEach(
        (name, entry) ->
            collections.append(
                name,
                new BsonDocument("records", new BsonInt64(entry.records))
                    .append("ids", new BsonString(entry.ids))
                    .append("isIndexed", BsonBoolean.valueOf(entry.isIndexed))));
    return new BsonDocument("format", new BsonString(FORMAT))
        .append("source", new BsonString(fingerprint))
        .append("collections", collections)
        .toJson();
  }

  /** The import is complete, and there is nothing to resume. */
  synchronized void delete() throws IOException {
    isComplete = true;
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }
}
