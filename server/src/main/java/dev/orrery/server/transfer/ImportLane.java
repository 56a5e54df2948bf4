package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The way of one collection from the source to the server: cuts its records into batches, and knows
 * up to which record all are acknowledged. One thread adds records, others acknowledge batches.
 */
final class ImportLane {
  private static final int BATCH_BYTES_MAX = 4 * 1024 * 1024;
  private static final long SAVE_INTERVAL_NANOS = 500_000_000;

  /** Records that are written together; the first one's number in the source. */
  record Batch(ImportLane lane, long first, List<SourceRecord> records) {}

  private final Namespace target;
  private Namespace documents;
  private final ImportState state;
  private final NewIds ids;
  private final int batchSize;
  private final boolean isPinned;
  private final long resumedAt;
  private final TreeMap<Long, Batch> outstanding = new TreeMap<>();
  private List<SourceRecord> collected = new ArrayList<>();
  private long collectedBytes;
  private long records;
  private long dispatched;
  private long savedAtNanos;

  /**
   * A lane that begins where the state says.
   *
   * @param isPinned whether all batches have to go through one writer, to keep their order
   */
  ImportLane(Namespace target, ImportState state, NewIds fresh, int batchSize, boolean isPinned) {
    this.target = target;
    this.documents = target;
    this.state = state;
    this.batchSize = batchSize;
    this.isPinned = isPinned;
    ImportState.Entry earlier = state.find(target.toString());
    this.ids = earlier == null ? fresh : NewIds.parse(earlier.ids());
    this.resumedAt = earlier == null ? 0 : earlier.records();
    this.dispatched = resumedAt;
  }

  Namespace target() {
    return target;
  }

  /** Documents go elsewhere than to the collection that they are of. */
  void writeTo(Namespace other) {
    documents = other;
  }

  /** Where the documents are written to. */
  Namespace documents() {
    return documents;
  }

  NewIds ids() {
    return ids;
  }

  boolean isPinned() {
    return isPinned;
  }

  /** Takes a record; returns a batch when one is full. */
  @Nullable Batch add(SourceRecord record) {
    long ordinal = records++;
    if (ordinal < resumedAt) {
      return null;
    }
    collected.add(record);
    collectedBytes += record.length();
    return collected.size() == batchSize || collectedBytes >= BATCH_BYTES_MAX ? cut() : null;
  }

  /** What was collected since the last batch, or null if that is nothing. */
  @Nullable Batch cut() {
    if (collected.isEmpty()) {
      return null;
    }
    var batch = new Batch(this, records - collected.size(), collected);
    collected = new ArrayList<>();
    collectedBytes = 0;
    synchronized (this) {
      outstanding.put(batch.first, batch);
      dispatched = records;
    }
    return batch;
  }

  /** A batch is on the server, or its failures are told. */
  synchronized void acknowledge(Batch batch) {
    outstanding.remove(batch.first);
    notifyAll();
  }

  /** Waits until no batch is on its way. */
  synchronized void awaitAll(WriterPool writers) throws IOException {
    try {
      while (!outstanding.isEmpty()) {
        writers.requireHealthy();
        wait(100);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransferException("interrupted", e);
    }
  }

  /** Before which record everything is acknowledged. */
  private synchronized long acknowledged() {
    return outstanding.isEmpty() ? dispatched : outstanding.firstKey();
  }

  /** Writes down how far this is, unless all is done. */
  void saveIfUnfinished() throws IOException {
    ImportState.Entry saved = state.find(target.toString());
    if (saved != null && !saved.isIndexed()) {
      save(false);
    }
  }

  /** Writes down how far this is, unless that was done a moment ago. */
  void saveSometimes(long nanos) throws IOException {
    synchronized (this) {
      if (nanos - savedAtNanos < SAVE_INTERVAL_NANOS) {
        return;
      }
      savedAtNanos = nanos;
    }
    save(false);
  }

  void save(boolean isIndexed) throws IOException {
    state.save(target.toString(), new ImportState.Entry(acknowledged(), ids.toString(), isIndexed));
  }
}
