package dev.orrery.server.command.security;

import dev.orrery.server.auth.Accounts;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.Role;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code rolesInfo}: one role, several, or those of the database. */
final class RolesInfoCommand implements Command {
  private final Accounts accounts;

  RolesInfoCommand(Security security) {
    this.accounts = security.accounts();
  }

  @Override
  public Spec spec() {
    return Spec.of("rolesInfo", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue which = body.value("rolesInfo");
    boolean showsPrivileges = body.safeBool("showPrivileges", false);
    boolean showsBuiltIn = body.safeBool("showBuiltinRoles", false);
    body.ignore("showAuthenticationRestrictions");
    body.finish();
    var roles = new BsonArray();
    for (Role role : find(context.database(), which, showsBuiltIn)) {
      roles.add(describe(role, showsPrivileges));
    }
    return new BsonDocument("roles", roles);
  }

  private List<Role> find(String database, RawValue which, boolean showsBuiltIn) {
    if (which.isNumber()) {
      var all = new ArrayList<>(accounts.rolesIn(database));
      if (showsBuiltIn) {
        all.addAll(accounts.builtInRolesIn(database));
      }
      return all;
    }
    List<RawValue> names = which.isArray() ? which.asDocument().toValues() : List.of(which);
    return RoleNames.parse(database, names).stream()
        .map(accounts::find)
        .filter(Objects::nonNull)
        .toList();
  }

  private BsonDocument describe(Role role, boolean showsPrivileges) {
    RoleName name = role.name();
    var document =
        new BsonDocument("_id", new BsonString(name.database() + "." + name.role()))
            .append("role", new BsonString(name.role()))
            .append("db", new BsonString(name.database()));
    if (showsPrivileges) {
      document.append("privileges", Privilege.toBson(role.privileges()));
    }
    var grants = accounts.grantsOf(role.inherited());
    document
        .append("roles", RoleName.toBson(role.inherited()))
        .append("inheritedRoles", RoleName.toBson(grants.roles()));
    if (showsPrivileges) {
      var all = accounts.grantsOf(List.of(name));
      document.append("inheritedPrivileges", Privilege.toBson(all.privileges()));
    }
    return document.append("isBuiltin", BsonBoolean.valueOf(role.isBuiltIn()));
  }
}
