package dev.orrery.server.command;

import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import java.util.List;
import org.bson.BsonDocument;

/** {@code grantRolesToRole} and {@code revokeRolesFromRole}. */
final class RoleRolesCommand implements Command {
  private final String name;
  private final boolean grants;
  private final Security security;

  private RoleRolesCommand(String name, boolean grants, Security security) {
    this.name = name;
    this.grants = grants;
    this.security = security;
  }

  static RoleRolesCommand grant(Security security) {
    return new RoleRolesCommand("grantRolesToRole", true, security);
  }

  static RoleRolesCommand revoke(Security security) {
    return new RoleRolesCommand("revokeRolesFromRole", false, security);
  }

  @Override
  public Spec spec() {
    return Spec.of(name, Access.ADMIN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String text = body.requireString(name);
    var values = body.requireArray("roles");
    body.finish();
    var role = new RoleName(text, context.database());
    List<RoleName> named = RoleNames.parse(role.database(), values);
    context.awaitDurable(
        security
            .accounts()
            .update(
                role,
                old -> old.withInherited(UserRolesCommand.change(old.inherited(), named, grants))));
    return new BsonDocument();
  }
}
