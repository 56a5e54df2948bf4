package dev.orrery.server.plan;

/** Chooses how a query is carried out. */
public final class Planner {
  public QueryPlan plan(Query query) {
    return new ScanPlan(query);
  }
}
