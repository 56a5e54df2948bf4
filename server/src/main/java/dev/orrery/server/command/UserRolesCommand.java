package dev.orrery.server.command;

import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.UserName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.bson.BsonDocument;

/** {@code grantRolesToUser} and {@code revokeRolesFromUser}. */
final class UserRolesCommand implements Command {
  private final String name;
  private final boolean grants;
  private final Security security;

  private UserRolesCommand(String name, boolean grants, Security security) {
    this.name = name;
    this.grants = grants;
    this.security = security;
  }

  static UserRolesCommand grant(Security security) {
    return new UserRolesCommand("grantRolesToUser", true, security);
  }

  static UserRolesCommand revoke(Security security) {
    return new UserRolesCommand("revokeRolesFromUser", false, security);
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
    var user = new UserName(text, context.database());
    List<RoleName> named = RoleNames.parse(user.database(), values);
    context.awaitDurable(
        security.accounts().update(user, old -> old.withRoles(change(old.roles(), named, grants))));
    return new BsonDocument();
  }

  /** The roles with or without those that were named. */
  static List<RoleName> change(List<RoleName> old, List<RoleName> named, boolean grants) {
    var roles = new LinkedHashSet<>(old);
    if (grants) {
      roles.addAll(named);
    } else {
      named.forEach(roles::remove);
    }
    return new ArrayList<>(roles);
  }
}
