package dev.orrery.server.transfer.export;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCursor;
import dev.orrery.server.transfer.source.Progress;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.RawBsonDocument;

/** Moves documents from a server to files. */
public final class Exporter implements Progress.Meter {
  private final MongoClient client;
  private final ExportSnapshot snapshot;
  private final ExportSelection selection;
  private final AtomicLong documents = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private volatile String current = "";

  public Exporter(MongoClient client, ExportSnapshot snapshot, ExportSelection selection) {
    this.client = client;
    this.snapshot = snapshot;
    this.selection = selection;
  }

  /** Collections with their metadata. */
  public void dump(List<SourceCollection> collections, DumpWriter writer) throws IOException {
    writer.begin(collections);
    for (SourceCollection collection : collections) {
      writer.begin(collection);
      if (!collection.isView()) {
        Sink sink = document -> writer.write(RawDocument.of(document).toByteArray());
        read(collection.documents(), sink);
      }
      writer.end(collection);
    }
  }

  /** The documents of one collection or view. */
  public void write(SourceCollection collection, RecordWriter writer) throws IOException {
    read(collection.namespace(), writer::write);
  }

  private interface Sink {
    void write(RawBsonDocument document) throws IOException;
  }

  private void read(Namespace namespace, Sink sink) throws IOException {
    current = namespace.toString();
    var found = selection.find(client, snapshot.session(), namespace);
    try (MongoCursor<RawBsonDocument> cursor = found.iterator()) {
      while (cursor.hasNext()) {
        snapshot.keep(namespace);
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
