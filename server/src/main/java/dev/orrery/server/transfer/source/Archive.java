package dev.orrery.server.transfer.source;

import dev.orrery.value.Namespace;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** An archive as mongodump --archive makes it; read from front to back, once. */
final class Archive implements Source {
  /** How far a collection has come. */
  private static final class Progress {
    private final SourceCollection collection;
    private final Crc64 checksum = new Crc64();
    private boolean isComplete;

    Progress(SourceCollection collection) {
      this.collection = collection;
    }
  }

  private final String name;
  private final BsonRecords records;
  private final AtomicLong bytesRead;
  private final long bytesTotal;
  private final Map<Namespace, Progress> collections = new LinkedHashMap<>();
  private final Predicate<Namespace> wanted;

  private Archive(
      InputStream in,
      String name,
      AtomicLong bytesRead,
      long bytesTotal,
      Predicate<Namespace> wanted) {
    this.name = name;
    this.records = new BsonRecords(in, name);
    this.bytesRead = bytesRead;
    this.bytesTotal = bytesTotal;
    this.wanted = wanted;
  }

  /** Reads the prelude, so that it is known what is in the archive. */
  static Archive open(
      InputStream in,
      String name,
      AtomicLong bytesRead,
      long bytesTotal,
      Predicate<Namespace> wanted)
      throws IOException {
    var archive = new Archive(in, name, bytesRead, bytesTotal, wanted);
    archive.readPrelude();
    return archive;
  }

  private void readPrelude() throws IOException {
    Integer magic = records.nextInt();
    if (magic == null || magic != ArchiveFormat.MAGIC) {
      throw new TransferException(
          name
              + " is no archive of mongodump: its first bytes are others. A directory of files or a"
              + " single .bson file is imported without --archive.");
    }
    BsonDocument header = header("the prelude");
    String version = header.getString("version", new BsonString("")).getValue();
    if (!version.equals(ArchiveFormat.VERSION)) {
      throw new TransferException(
          "%s has version '%s' of the format; only %s is known."
              .formatted(name, version, ArchiveFormat.VERSION));
    }
    BsonRecords.Document next;
    while ((next = documentOrEnd()) != null) {
      BsonDocument entry = decoded(next);
      var namespace = namespace(entry, next);
      String json = entry.getString("metadata", new BsonString("")).getValue();
      var metadata =
          json.isEmpty()
              ? CollectionMetadata.bare(namespace.collection())
              : CollectionMetadata.parse(json, namespace.collection(), next.place());
      var collection = new SourceCollection(namespace, metadata, metadata.isSeries());
      collections.put(namespace, new Progress(collection));
    }
  }

  private BsonDocument header(String what) throws IOException {
    Integer length = records.nextInt();
    if (length == null || length == ArchiveFormat.TERMINATOR) {
      throw damaged(what + " is missing");
    }
    return decoded(records.document(length));
  }

  /** The next document of a block, or null at its end. */
  private BsonRecords.@Nullable Document documentOrEnd() throws IOException {
    Integer length = records.nextInt();
    if (length == null) {
      throw damaged("it ends in the middle of a block");
    }
    return length == ArchiveFormat.TERMINATOR ? null : records.document(length);
  }

  private BsonDocument decoded(BsonRecords.Document document) throws IOException {
    try {
      return document.document().toBsonDocument();
    } catch (BadRecordException e) {
      throw new TransferException(e.getMessage(), e);
    }
  }

  private static Namespace namespace(BsonDocument header, SourceRecord record)
      throws TransferException {
    if (!header.isString("db") || !header.isString("collection")) {
      throw new TransferException(
          record.place() + ": a header of an archive was expected here; the archive is damaged.");
    }
    return new Namespace(
        header.getString("db").getValue(), header.getString("collection").getValue());
  }

  @Override
  public List<SourceCollection> collections() {
    return collections.values().stream()
        .map(progress -> progress.collection)
        .filter(collection -> wanted.test(collection.namespace()))
        .toList();
  }

  @Override
  public List<String> warnings() {
    return collections.keySet().stream()
        .filter(namespace -> !wanted.test(namespace))
        .flatMap(namespace -> NamespaceRules.warning(namespace).stream())
        .toList();
  }

  @Override
  public void read(Receiver receiver) throws IOException {
    Integer length;
    while ((length = records.nextInt()) != null) {
      if (length == ArchiveFormat.TERMINATOR) {
        throw damaged("a block without a header");
      }
      readBlock(records.document(length), receiver);
    }
    var missing = new ArrayList<Namespace>();
    for (Progress progress : collections.values()) {
      if (progress.isComplete) {
        continue;
      }
      if (progress.collection.isView()) {
        end(progress, receiver);
      } else {
        missing.add(progress.collection.namespace());
      }
    }
    if (!missing.isEmpty()) {
      throw damaged("it ends before " + missing + " was complete");
    }
  }

  private void readBlock(BsonRecords.Document first, Receiver receiver) throws IOException {
    BsonDocument header = decoded(first);
    Namespace namespace = namespace(header, first);
    Progress series = collections.get(SourceCollection.seriesOf(namespace));
    if (series != null) {
      namespace = series.collection.namespace();
    }
    Progress progress =
        collections.computeIfAbsent(
            namespace,
            added ->
                new Progress(
                    new SourceCollection(added, CollectionMetadata.bare(added.collection()))));
    boolean isEnd = header.getBoolean("EOF", BsonBoolean.FALSE).getValue();
    BsonRecords.Document document;
    while ((document = documentOrEnd()) != null) {
      if (isEnd || progress.isComplete) {
        throw damaged("documents of " + namespace + " after its end");
      }
      progress.checksum.update(document.bytes(), 0, document.length());
      if (wanted.test(namespace)) {
        receiver.record(progress.collection, document);
      }
    }
    if (isEnd) {
      requireChecksum(progress, header.getInt64("CRC", new BsonInt64(0)).getValue());
      end(progress, receiver);
    }
  }

  private void end(Progress progress, Receiver receiver) throws IOException {
    progress.isComplete = true;
    if (wanted.test(progress.collection.namespace())) {
      receiver.end(progress.collection);
    }
  }

  private void requireChecksum(Progress progress, long expected) throws TransferException {
    long actual = progress.checksum.value();
    if (actual != expected) {
      throw new TransferException(
          "%s: the checksum of %s is wrong: its documents give %016x, and the archive says %016x. Some of them are damaged, and the import stopped without indexes. Copy the archive again or dump the collection again, and then import with --drop."
              .formatted(name, progress.collection.namespace(), actual, expected));
    }
  }

  private TransferException damaged(String problem) {
    return new TransferException(
        "%s: the archive is damaged near byte %,d: %s. Copy or dump it again."
            .formatted(name, records.offset(), problem));
  }

  @Override
  public long bytesTotal() {
    return bytesTotal;
  }

  @Override
  public long bytesRead() {
    return bytesRead.get();
  }

  @Override
  public String fingerprint() {
    return "archive " + bytesTotal + " " + collections.keySet();
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
