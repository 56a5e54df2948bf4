package dev.orrery.server.auth;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All that a user may do: the privileges of all their roles, one for each resource. */
public final class Grants {
  /** Nothing at all. */
  public static final Grants NONE = new Grants(List.of(), List.of());

  private final List<RoleName> roles;
  private final List<Privilege> privileges;

  /**
   * @param roles also the inherited ones
   */
  Grants(List<RoleName> roles, List<Privilege> privileges) {
    this.roles = List.copyOf(roles);
    Map<Resource, Set<Action>> merged = new LinkedHashMap<>();
    for (Privilege privilege : privileges) {
      merged
          .computeIfAbsent(privilege.resource(), key -> EnumSet.noneOf(Action.class))
          .addAll(privilege.actions());
    }
    this.privileges =
        merged.entrySet().stream()
            .map(entry -> new Privilege(entry.getKey(), entry.getValue()))
            .toList();
  }

  public boolean allows(Action action, Resource target) {
    for (Privilege privilege : privileges) {
      if (privilege.allows(action, target)) {
        return true;
      }
    }
    return false;
  }

  /** Whether anything at all is allowed in a database, so that it may be seen in a list. */
  public boolean reaches(String database) {
    return privileges.stream().anyMatch(privilege -> privilege.resource().reaches(database));
  }

  /** Whether anything at all is allowed with a collection. */
  public boolean reaches(Resource collection) {
    return privileges.stream().anyMatch(privilege -> privilege.resource().covers(collection));
  }

  public List<RoleName> roles() {
    return roles;
  }

  public List<Privilege> privileges() {
    return privileges;
  }
}
