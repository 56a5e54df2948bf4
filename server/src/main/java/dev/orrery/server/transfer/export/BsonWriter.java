package dev.orrery.server.transfer.export;

import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.io.OutputStream;
import org.bson.RawBsonDocument;

/** Writes BSON documents one right after the other. */
public final class BsonWriter implements RecordWriter {
  private final OutputStream out;

  public BsonWriter(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(RawBsonDocument document) throws IOException {
    out.write(RawDocument.of(document).toByteArray());
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
