package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;

/** Plans for the queries of commands; where there is none, MongoDB's words about the query. */
final class Plans {
  private Plans() {}

  static QueryPlan forFind(Planner planner, Query query, FindParams params) {
    try {
      return planner.plan(query);
    } catch (CommandException e) {
      throw QueryText.refused(QueryText.of(query.collection().info().namespace(), params), e);
    }
  }

  /** For commands that show no more of their query than its filter. */
  static QueryPlan of(Planner planner, Query query) {
    try {
      return planner.plan(query);
    } catch (CommandException e) {
      throw QueryText.refused(QueryText.of(query), e);
    }
  }

  static QueryPlan forDistinct(Planner planner, Query query, String path) {
    try {
      return planner.planDistinct(query, path);
    } catch (CommandException e) {
      throw QueryText.refused(QueryText.of(query), e);
    }
  }

  /** MongoDB also names the collation of an update, even if it is the simple one. */
  static QueryPlan forUpdate(Planner planner, Query query) {
    try {
      return planner.plan(query);
    } catch (CommandException e) {
      throw QueryText.refused(QueryText.ofUpdate(query), e);
    }
  }
}
