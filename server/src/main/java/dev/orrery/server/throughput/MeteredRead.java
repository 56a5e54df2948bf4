package dev.orrery.server.throughput;

import dev.orrery.server.plan.Execution;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.value.RawDocument;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read whose batches are paid for one by one: each costs what was loaded and returned since the
 * one before. Used by one request at a time.
 */
public final class MeteredRead {
  private final CollectionStore collection;
  private final Execution execution;
  private final boolean isByKey;
  private @Nullable PartitionKeyValue key;
  private final BitSet paidPartitions = new BitSet();
  private long paidBytes;
  private long paidDocuments;

  /**
   * @param isByKey whether the plan looks documents up by their primary key
   */
  public MeteredRead(CollectionStore collection, Execution execution, boolean isByKey) {
    this.collection = collection;
    this.execution = execution;
    this.isByKey = isByKey;
  }

  CollectionStore collection() {
    return collection;
  }

  void target(@Nullable PartitionKeyValue value) {
    key = value;
  }

  @Nullable PartitionKeyValue key() {
    return key;
  }

  /** The partitions asked so far. */
  BitSet partitions() {
    return execution.partitions();
  }

  /** What a batch costs; what is counted here is paid for once. */
  RequestCharge next(List<RawDocument> batch) {
    long bytes = 0;
    for (RawDocument document : batch) {
      bytes += document.length();
    }
    return next(batch.size(), bytes);
  }

  /**
   * What all of it would cost as one request that returns that much, for {@code explain}; nothing
   * is paid.
   */
  public RequestCharge price(long results, long resultBytes) {
    int asked = execution.partitionsVisited();
    long loaded = execution.meter().documentsLoaded();
    long loadedBytes = execution.meter().bytesLoaded();
    return isByKey && loaded <= 1 && asked <= 1
        ? RequestUnits.pointRead(loadedBytes)
        : RequestUnits.query(new RequestUnits.QueryWork(asked, loadedBytes, results, resultBytes));
  }

  RequestCharge next(long results, long resultBytes) {
    long loadedBytes = execution.meter().bytesLoaded() - paidBytes;
    long loaded = execution.meter().documentsLoaded() - paidDocuments;
    BitSet asked = execution.partitions();
    asked.andNot(paidPartitions);
    paidBytes += loadedBytes;
    paidDocuments += loaded;
    paidPartitions.or(asked);
    if (isByKey && loaded <= 1 && asked.cardinality() <= 1) {
      return RequestUnits.pointRead(loadedBytes);
    }
    return RequestUnits.query(
        new RequestUnits.QueryWork(asked.cardinality(), loadedBytes, results, resultBytes));
  }
}
