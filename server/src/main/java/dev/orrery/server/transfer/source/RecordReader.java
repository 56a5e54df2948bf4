package dev.orrery.server.transfer.source;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The records of one file, one after the other. */
public interface RecordReader extends Closeable {
  /**
   * The next record, or null after the last one.
   *
   * @throws TransferException if the rest of the file makes no sense
   */
  @Nullable SourceRecord next() throws IOException;
}
