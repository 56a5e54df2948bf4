package dev.orrery.server.command;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.index.IndexSpec;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How much a collection holds, over all of its partitions.
 *
 * @param indexBytes by name, in the order of creation
 */
record Sizes(long documents, long bytes, Map<String, Long> indexBytes) {
  static Sizes of(CollectionStore collection) {
    long documents = 0;
    long bytes = 0;
    var indexes = new LinkedHashMap<String, Long>();
    for (IndexSpec index : collection.info().readyIndexes()) {
      indexes.put(index.name(), 0L);
    }
    for (PartitionStore partition : collection.partitions()) {
      PartitionStatistics statistics = partition.statistics();
      documents += statistics.documents();
      bytes += statistics.bytes();
      for (IndexSpec index : collection.info().readyIndexes()) {
        indexes.merge(index.name(), partition.statistics(index).bytes(), Long::sum);
      }
    }
    return new Sizes(documents, bytes, indexes);
  }

  long totalIndexBytes() {
    return indexBytes.values().stream().mapToLong(Long::longValue).sum();
  }

  long totalBytes() {
    return bytes + totalIndexBytes();
  }
}
