package dev.orrery.server.transfer.source;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** What an import reads: a file, a dump directory, or an archive. */
public interface Source extends Closeable {
  /** What is in it, known before the first document is read. */
  List<SourceCollection> collections();

  /** Passes every record on, those of one collection in their order. Can be called once. */
  void read(Receiver receiver) throws IOException;

  /** What is in it and cannot be imported. */
  default List<String> warnings() {
    return List.of();
  }

  /** How many bytes there are to read, or -1 if that is not known. */
  long bytesTotal();

  /** How many of them were read; asked by another thread. */
  long bytesRead();

  /** The same for the same data; tells an interrupted import whether it may go on. */
  String fingerprint();

  /** Who gets the records; called by one thread. */
  interface Receiver {
    void record(SourceCollection collection, SourceRecord record) throws IOException;

    /** No more records of this collection will come, and those that came were complete. */
    void end(SourceCollection collection) throws IOException;
  }
}
