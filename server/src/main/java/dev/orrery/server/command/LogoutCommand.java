package dev.orrery.server.command;

import org.bson.BsonDocument;

/** {@code logout}: ends the authentication of the connection, of which there is none. */
final class LogoutCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("logout", Access.ANONYMOUS);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument();
  }
}
