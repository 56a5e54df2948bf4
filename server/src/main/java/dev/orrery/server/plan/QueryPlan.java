package dev.orrery.server.plan;

/** A way to carry out a query; may be opened any number of times. */
public interface QueryPlan {
  DocumentCursor open(Execution execution);

  /**
   * Whether it surely ends within microseconds, such as a read by primary key: then it may run on
   * an event loop.
   */
  boolean isShort();
}
