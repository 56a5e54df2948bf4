package dev.orrery.server.command.security;

import static dev.orrery.server.command.security.AccessRules.text;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Grants;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.security.AccessRules.Call;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Set;

/**
 * What the commands on users and roles need. Above all: nobody gives away a role of a database
 * where they may not grant roles, so nobody makes themselves more than they are.
 */
final class AccountRules {
  /** What users may say in an update of themselves. */
  private static final Set<String> OWN_PASSWORD = Set.of("updateUser", "pwd", "mechanisms");

  private static final String RESTRICTIONS = "authenticationRestrictions";

  /** Every database at once. */
  private static final Resource ALL_DATABASES = Resource.database("");

  private AccountRules() {}

  static boolean createUser(Grants grants, Call call) {
    return grants.allows(Action.CREATE_USER, call.wholeDatabase())
        && mayRestrict(grants, call)
        && grantRoles(grants, call);
  }

  static boolean updateUser(Grants grants, Call call) {
    if (isOwnPassword(grants, call)) {
      return true;
    }
    RawDocument body = call.body();
    boolean setsPassword = body.field("pwd") != null || body.field("mechanisms") != null;
    boolean setsRoles = body.field("roles") != null;
    boolean restricts = body.field(RESTRICTIONS) != null;
    // Roles are replaced: which ones the user loses is not said, so it must be allowed for all.
    return (!setsPassword || grants.allows(Action.CHANGE_PASSWORD, call.wholeDatabase()))
        && (body.field("customData") == null
            || grants.allows(Action.CHANGE_CUSTOM_DATA, call.wholeDatabase()))
        && mayRestrict(grants, call)
        && (!setsRoles
            || grants.allows(Action.REVOKE_ROLE, ALL_DATABASES) && grantRoles(grants, call))
        && (setsPassword
            || setsRoles
            || restricts
            || body.field("customData") != null
            || grants.allows(Action.CHANGE_PASSWORD, call.wholeDatabase()));
  }

  private static boolean mayRestrict(Grants grants, Call call) {
    return call.body().field(RESTRICTIONS) == null
        || grants.allows(Action.SET_AUTHENTICATION_RESTRICTION, call.wholeDatabase());
  }

  private static boolean isOwnPassword(Grants grants, Call call) {
    var named = new UserName(String.valueOf(text(call.target())), call.database());
    if (!named.equals(call.user())
        || !grants.allows(Action.CHANGE_OWN_PASSWORD, call.wholeDatabase())) {
      return false;
    }
    RawElements fields = call.body().elements();
    while (fields.next()) {
      String name = fields.name();
      if (!OWN_PASSWORD.contains(name) && !name.startsWith("$") && !name.equals("lsid")) {
        return false;
      }
    }
    return true;
  }

  static boolean grantRoles(Grants grants, Call call) {
    return onRoles(grants, call, Action.GRANT_ROLE);
  }

  static boolean revokeRoles(Grants grants, Call call) {
    return onRoles(grants, call, Action.REVOKE_ROLE);
  }

  private static boolean onRoles(Grants grants, Call call, Action action) {
    RawValue roles = call.body().field("roles");
    if (roles == null || !roles.isArray()) {
      return grants.allows(action, call.wholeDatabase()); // the command refuses it
    }
    return RoleNames.parse(call.database(), roles.asDocument().toValues()).stream()
        .allMatch(role -> grants.allows(action, Resource.database(role.database())));
  }

  static boolean createRole(Grants grants, Call call) {
    return grants.allows(Action.CREATE_ROLE, call.wholeDatabase())
        && grantRoles(grants, call)
        && onPrivileges(grants, call, Action.GRANT_ROLE);
  }

  static boolean updateRole(Grants grants, Call call) {
    return grants.allows(Action.REVOKE_ROLE, ALL_DATABASES)
        && grantRoles(grants, call)
        && onPrivileges(grants, call, Action.GRANT_ROLE);
  }

  static boolean grantPrivileges(Grants grants, Call call) {
    return onPrivileges(grants, call, Action.GRANT_ROLE);
  }

  static boolean revokePrivileges(Grants grants, Call call) {
    return onPrivileges(grants, call, Action.REVOKE_ROLE);
  }

  private static boolean onPrivileges(Grants grants, Call call, Action action) {
    RawValue value = call.body().field("privileges");
    if (value == null || !value.isArray()) {
      return grants.allows(action, call.wholeDatabase());
    }
    List<RawDocument> documents =
        value.asDocument().toValues().stream()
            .filter(RawValue::isDocument)
            .map(RawValue::asDocument)
            .toList();
    for (Privilege privilege : RoleNames.privileges("privileges", documents)) {
      Resource resource = privilege.resource();
      boolean isOneDatabase =
          resource.kind() == Resource.Kind.NAMESPACE && !resource.database().isEmpty();
      String database = isOneDatabase ? resource.database() : "admin";
      if (!grants.allows(action, Resource.database(database))) {
        return false;
      }
    }
    return true;
  }

  /** Everybody may look at themselves. */
  static boolean usersInfo(Grants grants, Call call) {
    return maySee(grants, call, call.target());
  }

  private static boolean maySee(Grants grants, Call call, RawValue which) {
    if (which.isArray()) {
      return which.asDocument().toValues().stream().allMatch(each -> maySee(grants, call, each));
    }
    if (!which.isDocument()) {
      var named = new UserName(String.valueOf(text(which)), call.database());
      return isSelf(call, named) || grants.allows(Action.VIEW_USER, call.wholeDatabase());
    }
    if (which.asDocument().field("forAllDBs") != null) {
      return grants.allows(Action.VIEW_USER, ALL_DATABASES);
    }
    String database = text(which.asDocument().field("db"));
    var named = new UserName(String.valueOf(text(which.asDocument().field("user"))), "" + database);
    Resource where = database == null ? ALL_DATABASES : Resource.database(database);
    return isSelf(call, named) || grants.allows(Action.VIEW_USER, where);
  }

  private static boolean isSelf(Call call, UserName named) {
    return named.equals(call.user()) && call.body().field("showCredentials") == null;
  }

  /** Everybody may look at the roles they have. */
  static boolean rolesInfo(Grants grants, Call call) {
    RawValue which = call.target();
    if (which == null || which.isNumber()) {
      return grants.allows(Action.VIEW_ROLE, call.wholeDatabase());
    }
    List<RawValue> all = which.isArray() ? which.asDocument().toValues() : List.of(which);
    List<RoleName> names = RoleNames.parse(call.database(), all);
    return names.stream()
        .allMatch(
            name ->
                grants.roles().contains(name)
                    || grants.allows(Action.VIEW_ROLE, Resource.database(name.database())));
  }
}
