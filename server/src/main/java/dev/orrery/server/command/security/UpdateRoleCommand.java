package dev.orrery.server.command.security;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.Role;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import java.util.List;
import org.bson.BsonDocument;

/** {@code updateRole}: other privileges or other inherited roles; what is named counts. */
final class UpdateRoleCommand implements Command {
  private final Security security;

  UpdateRoleCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("updateRole", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    var name = new RoleName(body.requireString("updateRole"), context.database());
    List<Privilege> privileges =
        body.has("privileges")
            ? RoleNames.privileges("privileges", body.documents("privileges"))
            : null;
    List<RoleName> roles =
        body.has("roles") ? RoleNames.parse(name.database(), body.array("roles")) : null;
    body.reject("authenticationRestrictions");
    body.finish();
    if (privileges == null && roles == null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "Must specify at least one field to update in updateRole");
    }
    context.awaitDurable(security.accounts().update(name, role -> change(role, privileges, roles)));
    return new BsonDocument();
  }

  private static Role change(Role role, List<Privilege> privileges, List<RoleName> roles) {
    Role changed = privileges == null ? role : role.withPrivileges(privileges);
    return roles == null ? changed : changed.withInherited(roles);
  }
}
