package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import org.bson.BsonDocument;

/** {@code authenticate}: login by certificate; nobody is known, so it fails. */
final class AuthenticateCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("authenticate", Access.ANONYMOUS, Trait.STABLE_API);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("mechanism", "user", "db");
    body.finish();
    throw new CommandException(ErrorCode.AUTHENTICATION_FAILED, "Authentication failed.");
  }
}
