package dev.orrery.server.command.security;

import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code dropUser}: who is logged in as that user may do nothing from now on. */
final class DropUserCommand implements Command {
  private final Security security;

  DropUserCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("dropUser", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String user = body.requireString("dropUser");
    body.finish();
    var name = new UserName(user, context.database());
    context.awaitDurable(security.accounts().drop(name));
    return new BsonDocument();
  }
}
