package dev.orrery.server.transfer.export;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import dev.orrery.server.transfer.source.Progress;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.RawBsonDocument;

/** Moves documents from a server to files. */
public final class Exporter implements Progress.Meter {
  private final MongoClient client;
  private final ExportSelection selection;
  private final AtomicLong documents = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private volatile String current = "";

  public Exporter(MongoClient client, ExportSelection selection) {
    this.client = client;
    this.selection = selection;
  }

  /** Collections with their metadata. */
  public void dump(List<SourceCollection> collections, DumpWriter writer) throws IOException {
    writer.begin(collections);
    for (SourceCollection collection : collections) {
      writer.begin(collection);
      if (!collection.isView()) {
        read(collection, document -> writer.write(RawDocument.of(document).toByteArray()));
      }
      writer.end(collection);
    }
  }

  /** The documents of one collection or view. */
  public void write(SourceCollection collection, RecordWriter writer) throws IOException {
    read(collection, writer::write);
  }

  private interface Sink {
    void write(RawBsonDocument document) throws IOException;
  }

  private void read(SourceCollection collection, Sink sink) throws IOException {
    current = collection.namespace().toString();
    try (MongoCursor<RawBsonDocument> cursor =
        selection.find(client, collection.namespace()).iterator()) {
      while (cursor.hasNext()) {
        RawBsonDocument document = cursor.next();
        sink.write(document);
        documents.incrementAndGet();
        bytes.addAndGet(document.getByteBuffer().remaining());
      }
    }
  }

  @Override
  public String what() {
    return current;
  }

  @Override
  public long documents() {
    return documents.get();
  }

  @Override
  public long bytes() {
    return bytes.get();
  }

  @Override
  public long bytesTotal() {
    return -1;
  }
}
