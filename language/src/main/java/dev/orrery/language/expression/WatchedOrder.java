package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.BsonOrder;

/**
 * MongoDB's order of values, which counts what it does. A comparison, or a hash, goes through a
 * value to its end, and values may be long, deep, or hold the same one again and again: whatever
 * compares for a request takes its order from here.
 */
public final class WatchedOrder {
  /** Strings by their bytes: the order without a collation. */
  public static final BsonOrder CANONICAL = of(BsonOrder.CANONICAL);

  private WatchedOrder() {}

  public static BsonOrder of(BsonOrder order) {
    return order.watchedBy(steps -> Allowance.current().steps(steps));
  }
}
