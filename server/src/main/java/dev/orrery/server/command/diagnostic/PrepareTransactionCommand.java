package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/**
 * {@code prepareTransaction}, by which the shards of a cluster get ready to commit. MongoDB refuses
 * it where there are no shards, and so does Orrery; the transaction ends by that.
 */
final class PrepareTransactionCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("prepareTransaction", Access.WRITE, Trait.ADMIN_DATABASE, Trait.TRANSACTION);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    throw new CommandException(
        ErrorCode.NO_SHARDING_ENABLED,
        "Cannot accept sharding commands if node does not have shard role");
  }
}
