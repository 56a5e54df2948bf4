package dev.orrery.server.command.security;

import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code dropRole}: those who had the role have it no more. */
final class DropRoleCommand implements Command {
  private final Security security;

  DropRoleCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("dropRole", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String role = body.requireString("dropRole");
    body.finish();
    context.awaitDurable(security.accounts().drop(new RoleName(role, context.database())));
    return new BsonDocument();
  }
}
