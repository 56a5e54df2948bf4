package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.value.RawValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses requests to partitions, or keys of them, as if their units were spent. */
public interface Throttling {
  /** Refuses nothing. */
  Throttling NONE =
      new Throttling() {
        @Override
        public boolean isOn() {
          return false;
        }

        @Override
        public long millisToWait(
            CollectionStore collection, List<PartitionStore> asked, @Nullable RawValue key) {
          return 0;
        }
      };

  /** Whether it may refuse anything at all; must be cheap. */
  boolean isOn();

  /**
   * What a request must wait; 0 if it may run now.
   *
   * @param asked the partitions that it would touch
   * @param key the one value of the partition key that it is about; null when there is none
   */
  long millisToWait(CollectionStore collection, List<PartitionStore> asked, @Nullable RawValue key);
}
