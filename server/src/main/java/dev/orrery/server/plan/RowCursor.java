package dev.orrery.server.plan;

import org.jspecify.annotations.Nullable;

/** The rows that a node of a plan gives in one run, one after the other. */
interface RowCursor {
  /** The next row, or null at the end. */
  @Nullable Row next();

  /** Gives back what the node and those below it hold. */
  default void close() {}
}
