package dev.orrery.storage;

import dev.orrery.value.RawValue;
import java.util.List;

/**
 * What a reader sees: the newest state, or that at one point in time. All reads through partitions
 * of one view at a point see the commits up to it, each as a whole, and none after it, whatever
 * happens meanwhile. May be used by several threads.
 *
 * <p>A view at a point keeps old versions alive. It is to be closed soon; one that costs too much
 * is given up, and every read through it then fails with {@link
 * StorageException.Reason#POINT_LOST}.
 */
public interface View extends AutoCloseable {
  /** The partitions of a collection in the order of their ranges, to be read through this view. */
  List<PartitionStore> partitions(CollectionStore collection);

  /** The partition that owns documents with that partition key; null is a missing value. */
  PartitionStore partitionOf(CollectionStore collection, RawValue partitionKey);

  /** The cluster time of the last commit that is seen. */
  long time();

  /** Ends a view at a point; that of the newest state goes on. */
  @Override
  void close();
}
