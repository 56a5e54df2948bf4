package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.operation.WriteLock;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code fsyncUnlock}: takes one lock of {@code fsync} away. */
final class FsyncUnlockCommand implements Command {
  private final WriteLock writes;

  FsyncUnlockCommand(WriteLock writes) {
    this.writes = writes;
  }

  @Override
  public Spec spec() {
    return Spec.of("fsyncUnlock", Access.ADMIN, Trait.ADMIN_DATABASE, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    int locks = writes.unlock();
    if (locks < 0) {
      throw new CommandException(ErrorCode.ILLEGAL_OPERATION, "fsyncUnlock called when not locked");
    }
    return new BsonDocument("info", new BsonString("fsyncUnlock completed"))
        .append("lockCount", new BsonInt64(locks));
  }
}
