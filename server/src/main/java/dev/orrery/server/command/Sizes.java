package dev.orrery.server.command;

import dev.orrery.server.store.StorageErrors;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.PartitionStore.IndexStatistics;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much a collection holds, over all of its partitions. What is dropped while it is counted
 * holds nothing.
 *
 * @param indexBytes by name, in the order of creation
 */
public record Sizes(long documents, long bytes, Map<String, Long> indexBytes) {
  private static final IndexStatistics NOTHING = new IndexStatistics(0, 0, FieldsSeen.NOTHING);

  public static Sizes of(CollectionStore collection) {
    return of(collection, collection.info().readyIndexes());
  }

  /** With some of the indexes only. */
  public static Sizes of(CollectionStore collection, List<IndexSpec> of) {
    PartitionStatistics total = total(collection.partitions());
    var indexes = new LinkedHashMap<String, Long>();
    for (IndexSpec index : of) {
      indexes.put(index.name(), of(collection.partitions(), index).bytes());
    }
    return new Sizes(total.documents(), total.bytes(), indexes);
  }

  /** How much is in all partitions together. */
  public static PartitionStatistics total(List<PartitionStore> partitions) {
    try {
      return partitions.stream()
          .map(PartitionStore::statistics)
          .reduce(PartitionStatistics.NONE, PartitionStatistics::plus);
    } catch (StorageException e) {
      requireDropped(e);
      return PartitionStatistics.NONE;
    }
  }

  /** The statistics of an index over all partitions. */
  public static IndexStatistics of(List<PartitionStore> partitions, IndexSpec index) {
    try {
      return partitions.stream()
          .map(partition -> partition.statistics(index))
          .reduce(NOTHING, IndexStatistics::plus);
    } catch (StorageException e) {
      requireDropped(e);
      return NOTHING;
    }
  }

  private static void requireDropped(StorageException failure) {
    if (StorageErrors.isAlarming(failure)) {
      throw failure;
    }
  }

  public long totalIndexBytes() {
    return indexBytes.values().stream().mapToLong(Long::longValue).sum();
  }

  public long totalBytes() {
    return bytes + totalIndexBytes();
  }
}
