package dev.orrery.language.aggregate.accumulator;

import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The state of an accumulator for one group or window. */
public interface Accumulator {
  /** Takes the next value; null is a missing one. */
  void add(@Nullable BsonValue value);

  /** The result so far; more values may follow. */
  BsonValue result();

  /** All it knows, for {@link #merge} of another one; it is not used any more. */
  default BsonValue state() {
    return result();
  }

  /** Takes all the values that made up a state, which came after those it has. */
  default void merge(BsonValue state) {
    add(state);
  }

  /** The same for the state that another one has, which is not used any more. */
  default void mergeFrom(Accumulator later) {
    merge(later.state());
  }

  /**
   * Whether values that are added in parts, whose states are merged in order, give the very same
   * result as the values one by one.
   */
  default boolean isDivisible() {
    return true;
  }

  /** Roughly how much memory the values take that it keeps. */
  default long heapBytes() {
    return 0;
  }
}
