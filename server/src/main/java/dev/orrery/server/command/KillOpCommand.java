package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.value.RawValue;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code killOp}: an operation that nobody knows (any more) is no error, in MongoDB too. */
final class KillOpCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("killOp", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue operation = body.value("op");
    body.ignoreRest();
    body.finish();
    if (operation == null) {
      throw new CommandException(ErrorCode.NO_SUCH_KEY, "Missing expected field \"op\"");
    }
    if (!operation.isNumber()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "Expected field \"op\" to have numeric type, but found "
              + BsonTypeNames.of(operation.type()));
    }
    return new BsonDocument("info", new BsonString("attempting to kill op"));
  }
}
