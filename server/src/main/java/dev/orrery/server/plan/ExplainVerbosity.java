package dev.orrery.server.plan;

/** How much explain tells. */
public enum ExplainVerbosity {
  /** The plan. */
  QUERY_PLANNER,
  /** The plan is run, and what it did is counted. */
  EXECUTION_STATS,
  /** The same; we have no trial runs of other plans to tell about. */
  ALL_PLANS_EXECUTION
}
