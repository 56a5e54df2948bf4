package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;

/** Plans for the queries of commands; where there is none, MongoDB's words about the query. */
final class Plans {
  private Plans() {}

  /** Where a query goes; for one plan. */
  static Targets targets(Query query) {
    return Targets.of(query);
  }

  static QueryPlan forFind(Planner planner, Query query, Targets targets, FindParams params) {
    try {
      return planner.plan(query, targets);
    } catch (CommandException e) {
      throw QueryText.refused(() -> QueryText.of(query.collection().info().namespace(), params), e);
    }
  }

  /** For commands that show no more of their query than its filter. */
  static QueryPlan of(Planner planner, Query query) {
    return of(planner, query, targets(query));
  }

  static QueryPlan of(Planner planner, Query query, Targets targets) {
    try {
      return planner.plan(query, targets);
    } catch (CommandException e) {
      throw QueryText.refused(() -> QueryText.of(query), e);
    }
  }

  static QueryPlan forDistinct(Planner planner, Query query, Targets targets, String path) {
    try {
      return planner.planDistinct(query, targets, path);
    } catch (CommandException e) {
      throw QueryText.refused(() -> QueryText.of(query), e);
    }
  }

  /** Only that there is no plan is told with the query. */
  static QueryPlan forAggregate(Planner planner, Query query, Targets targets) {
    try {
      return planner.plan(query, targets);
    } catch (CommandException e) {
      throw e.code() == ErrorCode.NO_QUERY_EXECUTION_PLANS
          ? QueryText.refused(() -> QueryText.ofUpdate(query), e)
          : e;
    }
  }

  /** MongoDB also names the collation of an update, even if it is the simple one. */
  static QueryPlan forUpdate(Planner planner, Query query, Targets targets) {
    try {
      return planner.plan(query, targets);
    } catch (CommandException e) {
      throw QueryText.refused(() -> QueryText.ofUpdate(query), e);
    }
  }
}
