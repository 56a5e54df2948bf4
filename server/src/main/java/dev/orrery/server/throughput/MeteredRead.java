package dev.orrery.server.throughput;

import dev.orrery.server.plan.Execution;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.partition.PartitionIds;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read whose batches are paid for one by one: each costs what was loaded and returned since the
 * one before. Used by one request at a time.
 */
public final class MeteredRead {
  private final @Nullable CollectionStore collection;
  private final Execution execution;
  private final boolean isPointRead;
  private @Nullable PartitionKeyValue key;
  private final PartitionIds paidPartitions = new PartitionIds();
  private long paidBytes;
  private List<MeteredRead> others = List.of();

  /**
   * @param collection null when nothing is read of it, as there is none
   * @param isPointRead whether the plan reads at most one document, by its primary key
   */
  public MeteredRead(
      @Nullable CollectionStore collection, Execution execution, boolean isPointRead) {
    this.collection = collection;
    this.execution = execution;
    this.isPointRead = isPointRead;
  }

  /**
   * Reads of other collections belong to it, which are paid for with its batches.
   *
   * @param reads may grow later
   */
  public MeteredRead with(List<MeteredRead> reads) {
    others = reads;
    return this;
  }

  List<MeteredRead> others() {
    return others;
  }

  /** What counts the work of reading. */
  public Execution execution() {
    return execution;
  }

  @Nullable CollectionStore collection() {
    return collection;
  }

  void target(@Nullable PartitionKeyValue value) {
    key = value;
  }

  @Nullable PartitionKeyValue key() {
    return key;
  }

  /** The partitions asked so far. */
  PartitionIds partitions() {
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
    long loadedBytes = execution.meter().bytesLoaded();
    return isPointRead
        ? RequestUnits.pointRead(loadedBytes)
        : RequestUnits.query(new RequestUnits.QueryWork(asked, loadedBytes, results, resultBytes));
  }

  RequestCharge next(long results, long resultBytes) {
    long loadedBytes = execution.meter().bytesLoaded() - paidBytes;
    int asked = execution.partitions().countWithout(paidPartitions);
    paidBytes += loadedBytes;
    paidPartitions.addAll(execution.partitions());
    if (isPointRead) {
      return RequestUnits.pointRead(loadedBytes);
    }
    return RequestUnits.query(new RequestUnits.QueryWork(asked, loadedBytes, results, resultBytes));
  }
}
