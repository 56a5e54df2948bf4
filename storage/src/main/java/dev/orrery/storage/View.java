package dev.orrery.storage;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  /** What is committed, whenever somebody reads; it has no time, and closing it does nothing. */
  View NEWEST =
      new View() {
        @Override
        public List<PartitionStore> partitions(CollectionStore collection) {
          return collection.partitions();
        }

        @Override
        public PartitionStore partitionOf(
            CollectionStore collection, @Nullable RawValue partitionKey) {
          return collection.partitionOf(partitionKey);
        }

        @Override
        public boolean has(CollectionStore collection, IndexSpec index) {
          return true;
        }

        @Override
        public boolean hasSame(Namespace namespace) {
          return true;
        }

        @Override
        public long time() {
          return 0;
        }

        @Override
        public void close() {}
      };

  /** The partitions of a collection in the order of their ranges, to be read through this view. */
  List<PartitionStore> partitions(CollectionStore collection);

  /** The partition that owns documents with that partition key; null is a missing value. */
  PartitionStore partitionOf(CollectionStore collection, @Nullable RawValue partitionKey);

  /** Whether an index of the present had all its entries then, and so can be read. */
  boolean has(CollectionStore collection, IndexSpec index);

  /**
   * Whether a name stands for what it stood for then. It does not when the collection was dropped
   * or renamed since, or another one got its name; one that came since and is seen empty does.
   */
  boolean hasSame(Namespace namespace);

  /** The cluster time of the last commit that is seen; 0 for the newest state. */
  long time();

  /** Ends it; may be called twice. */
  @Override
  void close();
}
