package dev.orrery.server.command.security;

import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.User;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** {@code dropAllUsersFromDatabase}: all that the database defines. */
final class DropAllUsersFromDatabaseCommand implements Command {
  private final Security security;

  DropAllUsersFromDatabaseCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("dropAllUsersFromDatabase", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    String database = context.database();
    List<User> users =
        security.accounts().users().stream()
            .filter(user -> user.name().database().equals(database))
            .toList();
    users.forEach(user -> context.awaitDurable(security.accounts().drop(user.name())));
    return new BsonDocument("n", new BsonInt32(users.size()));
  }
}
