package dev.orrery.server.aggregate;

import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The state of an accumulator for one group or window. */
interface Accumulator {
  /** Takes the next value; null is a missing one. */
  void add(@Nullable BsonValue value);

  /** The result so far; more values may follow. */
  BsonValue result();

  /** Roughly how much memory the values take that it keeps. */
  default long heapBytes() {
    return 0;
  }
}
