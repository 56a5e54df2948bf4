package dev.orrery.server.command;

import org.bson.BsonDocument;

/** {@code logout}: ends the authentication of the connection, if there is one. */
final class LogoutCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("logout", Access.ANONYMOUS);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    context.connection().login().logout();
    return new BsonDocument();
  }
}
