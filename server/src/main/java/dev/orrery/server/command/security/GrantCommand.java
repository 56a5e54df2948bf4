package dev.orrery.server.command.security;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.storage.Receipt;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonDocument;

/**
 * {@code grantRolesToUser}, {@code revokePrivilegesFromRole} and their like: give something to a
 * user or a role, or take it away.
 *
 * @param field reads what is given or taken, as the caller wrote it
 */
record GrantCommand<T>(String name, Function<CommandReader, List<T>> field, Change<T> change)
    implements Command {
  /** What becomes of the things that are named. */
  enum Effect {
    GRANT,
    REVOKE
  }

  /** Changes the user or role of that name and database; returns where that is in the log. */
  @FunctionalInterface
  interface Change<T> {
    Receipt make(String name, String database, List<T> given);
  }

  static Command rolesOfUser(String name, Effect effect, Security security) {
    return new GrantCommand<RawValue>(
        name,
        body -> body.requireArray("roles"),
        (user, database, values) -> {
          List<RoleName> given = RoleNames.parse(database, values);
          return security
              .accounts()
              .update(
                  new UserName(user, database),
                  old -> old.withRoles(roles(old.roles(), given, effect)));
        });
  }

  static Command rolesOfRole(String name, Effect effect, Security security) {
    return new GrantCommand<RawValue>(
        name,
        body -> body.requireArray("roles"),
        (role, database, values) -> {
          List<RoleName> given = RoleNames.parse(database, values);
          return security
              .accounts()
              .update(
                  new RoleName(role, database),
                  old -> old.withInherited(roles(old.inherited(), given, effect)));
        });
  }

  static Command privilegesOfRole(String name, Effect effect, Security security) {
    return new GrantCommand<RawDocument>(
        name,
        body -> body.requireDocuments("privileges"),
        (role, database, documents) -> {
          List<Privilege> given = RoleNames.privileges("privileges", documents);
          return security
              .accounts()
              .update(
                  new RoleName(role, database),
                  old -> old.withPrivileges(privileges(old.privileges(), given, effect)));
        });
  }

  @Override
  public Spec spec() {
    return Spec.of(name, Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String changed = body.requireString(name);
    List<T> given = field.apply(body);
    body.finish();
    context.awaitDurable(change.make(changed, context.database(), given));
    return new BsonDocument();
  }

  private static List<RoleName> roles(List<RoleName> old, List<RoleName> given, Effect effect) {
    var roles = new LinkedHashSet<>(old);
    switch (effect) {
      case GRANT -> roles.addAll(given);
      case REVOKE -> given.forEach(roles::remove);
    }
    return new ArrayList<>(roles);
  }

  private static List<Privilege> privileges(
      List<Privilege> old, List<Privilege> given, Effect effect) {
    Map<Resource, Set<Action>> all = new LinkedHashMap<>();
    old.forEach(privilege -> actions(all, privilege).addAll(privilege.actions()));
    for (Privilege privilege : given) {
      Set<Action> actions = actions(all, privilege);
      switch (effect) {
        case GRANT -> actions.addAll(privilege.actions());
        case REVOKE -> actions.removeAll(privilege.actions());
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
