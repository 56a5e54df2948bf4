package dev.orrery.server.transfer.export;

import java.io.Closeable;
import java.io.IOException;
import org.bson.RawBsonDocument;

/** Writes documents of one collection to one file. */
public interface RecordWriter extends Closeable {
  void write(RawBsonDocument document) throws IOException;
}
