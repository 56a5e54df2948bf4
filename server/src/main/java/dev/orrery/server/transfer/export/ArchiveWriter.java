package dev.orrery.server.transfer.export;

import dev.orrery.server.transfer.source.ArchiveFormat;
import dev.orrery.server.transfer.source.Crc64;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.bson.BsonDocument;

/** Writes an archive as mongodump --archive does, one collection after the other. */
public final class ArchiveWriter implements DumpWriter {
  private final OutputStream out;
  private final BsonDocument prelude;
  private Crc64 checksum = new Crc64();

  public ArchiveWriter(OutputStream out, String serverVersion, String toolVersion) {
    this.out = out;
    this.prelude = ArchiveFormat.prelude(serverVersion, toolVersion);
  }

  @Override
  public void begin(List<SourceCollection> collections) throws IOException {
    writeInt(ArchiveFormat.MAGIC);
    write(prelude);
    for (SourceCollection collection : collections) {
      write(ArchiveFormat.metadata(collection));
    }
    writeInt(ArchiveFormat.TERMINATOR);
  }

  @Override
  public void begin(SourceCollection collection) throws IOException {
    checksum = new Crc64();
    write(ArchiveFormat.header(collection, false, 0));
  }

  @Override
  public void write(byte[] document) throws IOException {
    checksum.update(document, 0, document.length);
    out.write(document);
  }

  @Override
  public void end(SourceCollection collection) throws IOException {
    writeInt(ArchiveFormat.TERMINATOR);
    write(ArchiveFormat.header(collection, true, checksum.value()));
    writeInt(ArchiveFormat.TERMINATOR);
  }

  private void write(BsonDocument document) throws IOException {
    out.write(RawDocument.of(document).toByteArray());
  }

  private void writeInt(int value) throws IOException {
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      out.write(value >>> shift);
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
