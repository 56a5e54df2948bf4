package dev.orrery.server.command;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;

/** {@code grantPrivilegesToRole} and {@code revokePrivilegesFromRole}. */
final class RolePrivilegesCommand implements Command {
  private final String name;
  private final boolean grants;
  private final Security security;

  private RolePrivilegesCommand(String name, boolean grants, Security security) {
    this.name = name;
    this.grants = grants;
    this.security = security;
  }

  static RolePrivilegesCommand grant(Security security) {
    return new RolePrivilegesCommand("grantPrivilegesToRole", true, security);
  }

  static RolePrivilegesCommand revoke(Security security) {
    return new RolePrivilegesCommand("revokePrivilegesFromRole", false, security);
  }

  @Override
  public Spec spec() {
    return Spec.of(name, Access.ADMIN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String text = body.requireString(name);
    var documents = body.requireDocuments("privileges");
    body.finish();
    var role = new RoleName(text, context.database());
    List<Privilege> named = RoleNames.privileges("privileges", documents);
    context.awaitDurable(
        security
            .accounts()
            .update(role, old -> old.withPrivileges(change(old.privileges(), named))));
    return new BsonDocument();
  }

  private List<Privilege> change(List<Privilege> old, List<Privilege> named) {
    Map<Resource, Set<Action>> all = new LinkedHashMap<>();
    old.forEach(privilege -> actions(all, privilege).addAll(privilege.actions()));
    for (Privilege privilege : named) {
      if (grants) {
        actions(all, privilege).addAll(privilege.actions());
      } else {
        actions(all, privilege).removeAll(privilege.actions());
      }
    }
    return all.entrySet().stream()
        .filter(entry -> !entry.getValue().isEmpty())
        .map(entry -> new Privilege(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static Set<Action> actions(Map<Resource, Set<Action>> all, Privilege privilege) {
    return all.computeIfAbsent(privilege.resource(), key -> EnumSet.noneOf(Action.class));
  }
}
