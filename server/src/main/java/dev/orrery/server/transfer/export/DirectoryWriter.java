package dev.orrery.server.transfer.export;

import dev.orrery.server.transfer.source.DumpNames;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a directory as mongodump does. */
public final class DirectoryWriter implements DumpWriter {
  private final Path root;
  private final boolean isPacked;
  private @Nullable OutputStream documents;

  public DirectoryWriter(Path root, boolean isPacked) {
    this.root = root;
    this.isPacked = isPacked;
  }

  @Override
  public void begin(List<SourceCollection> collections) {
    // Every collection has its own files.
  }

  @Override
  public void begin(SourceCollection collection) throws IOException {
    try (OutputStream out = open(collection.namespace(), ".metadata.json")) {
      out.write(collection.metadata().toJson().getBytes(StandardCharsets.UTF_8));
    }
    if (!collection.isView()) {
      documents = open(collection.documents(), ".bson");
    }
  }

  private OutputStream open(Namespace namespace, String ending) throws IOException {
    String name = DumpNames.file(namespace.collection()) + ending;
    Path directory = root.resolve(namespace.database());
    return OutputFile.open(directory.resolve(isPacked ? name + ".gz" : name), isPacked);
  }

  @Override
  public void write(byte[] document) throws IOException {
    documents.write(document);
  }

  @Override
  public void end(SourceCollection collection) throws IOException {
    close();
  }

  @Override
  public void close() throws IOException {
    if (documents != null) {
      documents.close();
      documents = null;
    }
  }
}
