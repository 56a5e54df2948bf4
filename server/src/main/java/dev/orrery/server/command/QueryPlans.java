package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;

/** Plans queries; before a refusal of the planner stands the query, as in MongoDB's messages. */
final class QueryPlans {
  private QueryPlans() {}

  /** The plan of a find. */
  static QueryPlan of(Planner planner, Query query, FindParams params) {
    try {
      return planner.plan(query);
    } catch (CommandException e) {
      throw QueryText.refused(query.collection().info().namespace(), params, e);
    }
  }

  /** The plan of a command that is no find. */
  static QueryPlan of(Planner planner, Query query) {
    try {
      return planner.plan(query);
    } catch (CommandException e) {
      var namespace = query.collection().info().namespace();
      throw QueryText.refused(QueryText.of(namespace, query.criteria().document()), e);
    }
  }
}
