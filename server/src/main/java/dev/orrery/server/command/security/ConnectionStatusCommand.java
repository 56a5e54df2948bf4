package dev.orrery.server.command.security;

import dev.orrery.server.auth.Grants;
import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code connectionStatus}: who the connection is authenticated as. */
final class ConnectionStatusCommand implements Command {
  private final Security security;

  ConnectionStatusCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("connectionStatus", Access.ANONYMOUS, Trait.PUBLIC);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    boolean showsPrivileges = body.bool("showPrivileges", false);
    body.finish();
    Login login = context.connection().login();
    var users = new BsonArray();
    if (security.isKnown(login)) {
      users.add(login.identity().name().toBson());
    }
    Grants grants = security.grantsOf(login);
    var info =
        new BsonDocument("authenticatedUsers", users)
            .append("authenticatedUserRoles", RoleName.toBson(grants.roles()));
    if (showsPrivileges) {
      info.append("authenticatedUserPrivileges", Privilege.toBson(grants.privileges()));
    }
    return new BsonDocument("authInfo", info);
  }
}
