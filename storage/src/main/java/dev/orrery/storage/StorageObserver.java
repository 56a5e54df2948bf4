package dev.orrery.storage;

import dev.orrery.value.Namespace;
import java.util.List;
import java.util.UUID;

/**
 * Is told what an engine does for all requests together, as it happens. Called on threads for which
 * everybody waits: its methods return at once and throw nothing. An engine that nobody observes
 * counts nothing.
 */
public interface StorageObserver {
  /** Looks away. */
  StorageObserver NONE = new StorageObserver() {};

  /**
   * The log was made durable once.
   *
   * @param commits how many waited for it
   */
  default void forced(int commits, long nanos) {}

  /** Everything that had changed was saved, so that recovery starts here. */
  default void checkpointed(long nanos) {}

  /** A segment of the log that held hardly anything alive was emptied and deleted. */
  default void segmentFreed(long bytes) {}

  /** Partitions took the place of others: a split, a merge, or one that was made anew. */
  default void repartitioned(Repartition change) {}

  /**
   * A change of a collection's partitions.
   *
   * @param before one for a split, two for a merge
   * @param after in the order of their ranges
   * @param nanos from the first record copied until the new ones served
   */
  record Repartition(
      Namespace namespace, UUID collection, List<Integer> before, List<Integer> after, long nanos) {
    public Repartition {
      before = List.copyOf(before);
      after = List.copyOf(after);
    }
  }
}
