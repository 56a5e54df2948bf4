package dev.orrery.server.transfer.export;

import dev.orrery.server.transfer.source.SourceCollection;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Where an export of collections with their metadata goes: a directory or an archive. */
public interface DumpWriter extends Closeable {
  /** Called once, before all else, with everything that will come. */
  void begin(List<SourceCollection> collections) throws IOException;

  /** Begins a collection; the one before has ended. Views come too, and have no documents. */
  void begin(SourceCollection collection) throws IOException;

  /** A document of the collection that was begun. */
  void write(byte[] document) throws IOException;

  void end(SourceCollection collection) throws IOException;
}
