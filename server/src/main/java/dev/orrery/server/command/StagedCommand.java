package dev.orrery.server.command;

import dev.orrery.lane.Lane;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;

/** A command whose work may go on elsewhere; who wants its answer on the spot waits for it. */
public interface StagedCommand extends Command {
  @Override
  CompletionStage<BsonDocument> start(CommandContext context, CommandReader body);

  /** The same, on a thread that may wait. */
  @Override
  default BsonDocument run(CommandContext context, CommandReader body) {
    return Lane.await(start(context, body));
  }
}
