package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import org.bson.BsonDocument;

/** {@code fsyncUnlock}: nothing is ever locked. */
final class FsyncUnlockCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("fsyncUnlock", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    throw new CommandException(ErrorCode.ILLEGAL_OPERATION, "fsyncUnlock called when not locked");
  }
}
