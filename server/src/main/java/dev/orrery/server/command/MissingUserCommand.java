package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import org.bson.BsonDocument;

/** {@code dropUser} and {@code updateUser} on a server that has no users. */
final class MissingUserCommand implements Command {
  private final String name;
  private final String message;

  private MissingUserCommand(String name, String message) {
    this.name = name;
    this.message = message;
  }

  static MissingUserCommand drop() {
    return new MissingUserCommand("dropUser", "User '%s@%s' not found");
  }

  static MissingUserCommand update() {
    return new MissingUserCommand("updateUser", "User %s@%s not found");
  }

  @Override
  public Spec spec() {
    return Spec.of(name, Access.ADMIN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String user = body.requireString(name);
    if (name.equals("updateUser")) {
      body.ignore(
          "pwd",
          "customData",
          "roles",
          "digestPassword",
          "authenticationRestrictions",
          "mechanisms");
    }
    body.finish();
    throw new CommandException(
        ErrorCode.USER_NOT_FOUND, message.formatted(user, context.database()));
  }
}
