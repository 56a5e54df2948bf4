package dev.orrery.server.command;

import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code rolesInfo}: a server without authentication has no roles of its own. */
final class RolesInfoCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("rolesInfo", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("showPrivileges", "showBuiltinRoles", "showAuthenticationRestrictions");
    body.finish();
    return new BsonDocument("roles", new BsonArray());
  }
}
