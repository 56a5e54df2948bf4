package dev.orrery.server.command;

import org.bson.BsonArray;
import org.bson.BsonDocument;

/** {@code usersInfo}: a server without authentication has no users. */
final class UsersInfoCommand implements Command {
  @Override
  public Spec spec() {
    return Spec.of("usersInfo", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore(
        "showCredentials",
        "showCustomData",
        "showPrivileges",
        "showAuthenticationRestrictions",
        "filter");
    body.finish();
    return new BsonDocument("users", new BsonArray());
  }
}
