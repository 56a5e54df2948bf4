package dev.orrery.storage.postgres;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a collection is, as of an epoch.
 *
 * @param indexes all that writers keep, those that are being built included
 */
record CollectionState(CollectionInfo info, List<Index> indexes, long epoch) {
  /** Partitions of a collection that ever were; more than anybody splits. */
  private static final int PARTITION_BITS = 20;

  /** Documents that a partition ever had. */
  private static final int RECORD_BITS = 40;

  /**
   * An index that writers keep.
   *
   * @param isReady whether it has entries of all documents
   */
  record Index(IndexEntry entry, IndexKeys keys, boolean isReady) {
    int id() {
      return entry.id();
    }

    IndexSpec spec() {
      return entry.spec();
    }

    /** Whether keys are kept that only one document of a partition key may have. */
    boolean isUnique() {
      return spec().isUnique() && !spec().isIdIndex();
    }
  }

  CollectionState {
    indexes = List.copyOf(indexes);
  }

  /** The number of a partition in the database. */
  static long part(int collection, int partition) {
    return (long) collection << PARTITION_BITS | partition;
  }

  /** The collection that a partition of the database belongs to. */
  static int collectionOf(long part) {
    return (int) (part >> PARTITION_BITS);
  }

  /**
   * The number before the first record of a partition: records keep theirs for life, so no two
   * partitions of a collection give the same, and later partitions give higher ones.
   */
  static long firstRecord(int partition) {
    return (long) partition << RECORD_BITS;
  }

  long part(int partition) {
    return part(info.id(), partition);
  }

  /** The partition that has documents of that place in the key space. */
  int owner(String epk) {
    PartitionMap map = info.partitions();
    return map.entries().get(map.indexOf(epk)).id();
  }

  /** The partitions that have documents of a range. */
  List<PartitionMap.Entry> owners(EpkRange range) {
    var owners = new ArrayList<PartitionMap.Entry>();
    for (PartitionMap.Entry entry : info.partitions().entries()) {
      EpkRange other = entry.range();
      if (other.minInclusive().compareTo(range.maxExclusive()) < 0
          && range.minInclusive().compareTo(other.maxExclusive()) < 0) {
        owners.add(entry);
      }
    }
    return owners;
  }

  @Nullable Index index(int id) {
    for (Index index : indexes) {
      if (index.id() == id) {
        return index;
      }
    }
    return null;
  }

  /** The index of that description if it can be read, or null. */
  @Nullable Index find(IndexSpec spec) {
    for (Index index : indexes) {
      if (index.isReady && index.spec().document().equals(spec.document())) {
        return index;
      }
    }
    return null;
  }
}
