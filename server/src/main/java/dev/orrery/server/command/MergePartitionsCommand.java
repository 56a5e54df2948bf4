package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import org.bson.BsonDocument;

/** {@code mergePartitions}: known, and refused; partitions only split. */
final class MergePartitionsCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("mergePartitions", Access.ADMIN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.collection("mergePartitions");
    body.ignore("partitions");
    body.finish();
    throw new CommandException(
        ErrorCode.NOT_IMPLEMENTED, "partitions cannot be merged: they only split");
  }
}
