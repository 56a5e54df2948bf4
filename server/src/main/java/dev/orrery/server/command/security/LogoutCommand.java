package dev.orrery.server.command.security;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code logout}: ends the authentication of the connection, if there is one. */
final class LogoutCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("logout", Access.ANONYMOUS, Trait.PUBLIC);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    context.connection().login().logout();
    return new BsonDocument();
  }
}
