package dev.orrery.storage;

import java.util.List;
import java.util.Objects;

/**
 * Changes that are committed together: those that are applied become visible and durable as one
 * group, over any number of partitions and collections.
 *
 * @param steps what followers of changes are told instead of the operations on the same
 *     collections: the way on which they came about, if that was longer; else empty
 */
public record WriteBatch(
    List<WriteOperation> operations, OnFailure onFailure, List<Change.OfDocument> steps) {
  /** What a failed precondition means for the rest of the batch. */
  public enum OnFailure {
    /** Nothing is applied: a transaction. */
    APPLY_NONE,
    /** What came before is applied, what follows is not tried: an ordered bulk write. */
    STOP,
    /** Each operation stands for itself: an unordered bulk write. */
    CONTINUE
  }

  public WriteBatch {
    operations = List.copyOf(operations);
    steps = List.copyOf(steps);
    Objects.requireNonNull(onFailure);
  }

  public WriteBatch(List<WriteOperation> operations, OnFailure onFailure) {
    this(operations, onFailure, List.of());
  }

  public static WriteBatch of(WriteOperation operation) {
    return new WriteBatch(List.of(operation), OnFailure.APPLY_NONE);
  }
}
