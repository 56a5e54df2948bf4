package dev.orrery.server.transfer.export;

import dev.orrery.server.command.schema.IndexListing;
import dev.orrery.server.transfer.source.CollectionMetadata;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.recovery.StoreSalvage;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes what was salvaged as a directory of mongodump. A collection without a name gets the number
 * under which the log knows it, in a database of its own.
 */
public final class SalvageDump implements StoreSalvage.Output {
  public static final String UNKNOWN_DATABASE = "salvaged";

  private final DirectoryWriter writer;
  private SourceCollection current;

  public SalvageDump(Path root) {
    this.writer = new DirectoryWriter(root, false);
  }

  @Override
  public void begin(CollectionInfo info) throws IOException {
    String type =
        info.isView()
            ? "view"
            : info.options().containsKey("timeseries") ? "timeseries" : "collection";
    Namespace namespace = info.namespace();
    begin(
        new SourceCollection(
            namespace,
            new CollectionMetadata(
                namespace.collection(),
                type,
                info.options(),
                info.isView() ? java.util.List.of() : IndexListing.of(info),
                info.uuid().toString().replace("-", ""),
                info.partitionKey())));
  }

  @Override
  public void begin(int collection) throws IOException {
    var namespace = new Namespace(UNKNOWN_DATABASE, "collection-" + collection);
    begin(new SourceCollection(namespace, CollectionMetadata.bare(namespace.collection())));
  }

  private void begin(SourceCollection collection) throws IOException {
    current = collection;
    writer.begin(collection);
  }

  @Override
  public void write(byte[] document) throws IOException {
    writer.write(document);
  }

  @Override
  public void end() throws IOException {
    writer.end(current);
  }
}
