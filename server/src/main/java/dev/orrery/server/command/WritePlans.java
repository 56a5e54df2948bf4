package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;

/** Plans that find what to write, and MongoDB's words where there is none. */
final class WritePlans {
  private WritePlans() {}

  /** The limit of a write to one document is ours; MongoDB's messages do not show one. */
  static QueryPlan forDeletion(Planner planner, Query query) {
    try {
      return planner.plan(query);
    } catch (CommandException e) {
      throw replaced(e, " limit=1Tree: ", "Tree: ");
    }
  }

  /** MongoDB also names the collation of an update, even if it is the simple one. */
  static QueryPlan forUpdate(Planner planner, Query query) {
    try {
      return forDeletion(planner, query);
    } catch (CommandException e) {
      throw e.getMessage().contains("\nCollation: ")
          ? e
          : replaced(
              e,
              "\n planner returned error",
              "\nCollation: { locale: \"simple\" }\n planner returned error");
    }
  }

  private static CommandException replaced(CommandException error, String from, String to) {
    return new CommandException(
        error.code(), error.getMessage().replace(from, to), error.details());
  }
}
