package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.plan.ExplainVerbosity;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;

/** Reads views, by running the aggregations that other commands become on them. */
@FunctionalInterface
public interface ViewReader {
  /** For servers without aggregation. */
  ViewReader NONE =
      (context, aggregate) -> {
        throw new CommandException(
            ErrorCode.NOT_IMPLEMENTED, "reading a view is not implemented yet");
      };

  /** Runs an {@code aggregate} command on the database of the context, and gives its reply. */
  CompletionStage<BsonDocument> aggregate(CommandContext context, BsonDocument aggregate);

  /** Tells how an {@code aggregate} command would run or, if the verbosity asks for it, did. */
  default CompletionStage<BsonDocument> explain(
      CommandContext context, BsonDocument aggregate, ExplainVerbosity verbosity) {
    return aggregate(context, aggregate);
  }
}
