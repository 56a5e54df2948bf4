package dev.orrery.server.transfer;

import java.io.Closeable;
import java.io.IOException;
import org.bson.RawBsonDocument;

/** Writes documents of one collection to one file. */
interface RecordWriter extends Closeable {
  void write(RawBsonDocument document) throws IOException;
}
