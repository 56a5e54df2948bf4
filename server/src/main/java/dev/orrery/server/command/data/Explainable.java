package dev.orrery.server.command.data;

import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.plan.ExplainVerbosity;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** A command that can tell how it would come to its answer. */
interface Explainable extends StagedCommand {
  /**
   * The plan and, if the verbosity asks for it, what it did when it ran; nothing is written. The
   * body is that of the command itself.
   */
  BsonDocument explain(CommandContext context, CommandReader body, ExplainVerbosity verbosity);

  /** The aggregation that the command is on a view; null if it is not on one. */
  default @Nullable BsonDocument onView(CommandContext context, CommandReader body) {
    return null;
  }
}
