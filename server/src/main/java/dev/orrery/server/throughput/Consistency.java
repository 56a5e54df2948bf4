package dev.orrery.server.throughput;

/**
 * Cosmos DB's consistency levels. One server is always strongly consistent; the levels differ in
 * what reads cost.
 */
public enum Consistency {
  STRONG,
  BOUNDED_STALENESS,
  SESSION,
  CONSISTENT_PREFIX,
  EVENTUAL;

  /** Whether reads ask two replicas there. */
  boolean doublesReads() {
    return this == STRONG || this == BOUNDED_STALENESS;
  }
}
