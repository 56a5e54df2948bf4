package dev.orrery.server.command;

import dev.orrery.server.auth.Grants;
import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.Security;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code connectionStatus}: who the connection is authenticated as. */
final class ConnectionStatusCommand implements Command {
  private final Security security;

  ConnectionStatusCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("connectionStatus", Access.ANONYMOUS, Trait.STABLE_API);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    boolean showsPrivileges = body.bool("showPrivileges", false);
    body.finish();
    Login login = context.connection().login();
    var users = new BsonArray();
    if (security.isKnown(login)) {
      var name = login.identity().name();
      users.add(
          new BsonDocument("user", new BsonString(name.user()))
              .append("db", new BsonString(name.database())));
    }
    Grants grants = security.grantsOf(login);
    var roles = new BsonArray();
    grants.roles().forEach(role -> roles.add(role.toBson()));
    var info =
        new BsonDocument("authenticatedUsers", users).append("authenticatedUserRoles", roles);
    if (showsPrivileges) {
      var privileges = new BsonArray();
      grants.privileges().forEach(privilege -> privileges.add(privilege.toBson()));
      info.append("authenticatedUserPrivileges", privileges);
    }
    return new BsonDocument("authInfo", info);
  }
}
