package dev.orrery.server.auth;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** Privileges under a name, and the roles whose privileges it has besides. */
public record Role(
    RoleName name, List<Privilege> privileges, List<RoleName> inherited, boolean isBuiltIn) {
  public Role {
    privileges = List.copyOf(privileges);
    inherited = List.copyOf(inherited);
  }

  public static Role custom(RoleName name, List<Privilege> privileges, List<RoleName> inherited) {
    return new Role(name, privileges, inherited, false);
  }

  public Role withPrivileges(List<Privilege> changed) {
    return new Role(name, changed, inherited, isBuiltIn);
  }

  public Role withInherited(List<RoleName> changed) {
    return new Role(name, privileges, changed, isBuiltIn);
  }

  /** The stored form, which is that of MongoDB's {@code admin.system.roles}. */
  BsonDocument toBson() {
    return new BsonDocument("_id", new BsonString(name.id()))
        .append("role", new BsonString(name.role()))
        .append("db", new BsonString(name.database()))
        .append("privileges", Privilege.toBson(privileges))
        .append("roles", RoleName.toBson(inherited));
  }

  static Role of(BsonDocument document) {
    return custom(
        RoleName.of(document),
        document.getArray("privileges").stream().map(p -> Privilege.of(p.asDocument())).toList(),
        document.getArray("roles").stream().map(r -> RoleName.of(r.asDocument())).toList());
  }
}
