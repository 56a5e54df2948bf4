package dev.orrery.server.command.security;

import dev.orrery.server.auth.Role;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code dropAllRolesFromDatabase}: all that users made in the database. */
final class DropAllRolesFromDatabaseCommand implements Command {
  private final Security security;

  DropAllRolesFromDatabaseCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("dropAllRolesFromDatabase", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    List<Role> roles = security.accounts().rolesIn(context.database());
    roles.forEach(role -> context.awaitDurable(security.accounts().drop(role.name())));
    return new BsonDocument("n", new BsonInt32(roles.size()));
  }
}
