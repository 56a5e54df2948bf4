package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
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
