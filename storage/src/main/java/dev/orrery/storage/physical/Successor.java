package dev.orrery.storage.physical;

import dev.orrery.storage.partition.Renumbering;
import dev.orrery.value.RawDocument;
import java.util.function.Predicate;

/**
 * A partition that took over from another after a split or a merge.
 *
 * @param renumbering what became of the record ids; null when they stayed
 * @param cameFromParent tells the documents of the old partition from those of the one it was
 *     merged with; null when there are no others
 */
public record Successor(
    PhysicalPartition partition, Renumbering renumbering, Predicate<RawDocument> cameFromParent) {
  public static Successor ofSplit(PhysicalPartition child) {
    return new Successor(child, null, null);
  }

  /** The successor's id of a record of the old partition. */
  long recordId(long old) {
    return renumbering == null ? old : renumbering.apply(old);
  }
}
