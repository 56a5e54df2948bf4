package dev.orrery.server.command;

import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code connectionStatus}: who the connection is authenticated as. */
final class ConnectionStatusCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("connectionStatus", Access.ANONYMOUS, Trait.STABLE_API);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    boolean showsPrivileges = body.bool("showPrivileges", false);
    body.finish();
    var info =
        new BsonDocument("authenticatedUsers", new BsonArray())
            .append("authenticatedUserRoles", new BsonArray());
    if (showsPrivileges) {
      info.append("authenticatedUserPrivileges", new BsonArray());
    }
    return new BsonDocument("authInfo", info);
  }
}
