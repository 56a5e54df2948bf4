package dev.orrery.server.transfer.source;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** One file, or the standard input, with the documents of one collection. */
public final class SingleFile implements Source {
  private final SourceCollection collection;
  private final RecordReader records;
  private final AtomicLong bytesRead;
  private final long bytesTotal;
  private final String fingerprint;

  /**
   * Wraps a reader.
   *
   * @param bytesRead counts while the reader reads
   * @param bytesTotal -1 if it is not known
   */
  public SingleFile(
      SourceCollection collection,
      RecordReader records,
      AtomicLong bytesRead,
      long bytesTotal,
      String fingerprint) {
    this.collection = collection;
    this.records = records;
    this.bytesRead = bytesRead;
    this.bytesTotal = bytesTotal;
    this.fingerprint = fingerprint;
  }

  @Override
  public List<SourceCollection> collections() {
    return List.of(collection);
  }

  @Override
  public void read(Receiver receiver) throws IOException {
    SourceRecord record;
    while ((record = records.next()) != null) {
      receiver.record(collection, record);
    }
    receiver.end(collection);
  }

  @Override
  public long bytesTotal() {
    return bytesTotal;
  }

  @Override
  public long bytesRead() {
    return bytesRead.get();
  }

  @Override
  public String fingerprint() {
    return fingerprint;
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
