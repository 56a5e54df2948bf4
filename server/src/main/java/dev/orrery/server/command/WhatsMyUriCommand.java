package dev.orrery.server.command;

import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code whatsmyuri}: the client's address as the server sees it. */
final class WhatsMyUriCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("whatsmyuri", Access.ANONYMOUS);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument("you", new BsonString(context.connection().remoteAddress()));
  }
}
