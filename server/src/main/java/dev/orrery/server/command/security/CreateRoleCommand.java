package dev.orrery.server.command.security;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Role;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code createRole}: privileges under a name of one's own. */
final class CreateRoleCommand implements Command {
  private final Security security;

  CreateRoleCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("createRole", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String text = body.requireString("createRole");
    var privileges = body.requireDocuments("privileges");
    var roles = body.requireArray("roles");
    body.reject("authenticationRestrictions");
    body.finish();
    if (text.isEmpty()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "Role name must be non-empty");
    }
    var name = new RoleName(text, context.database());
    var role =
        Role.custom(
            name,
            RoleNames.privileges("privileges", privileges),
            RoleNames.parse(name.database(), roles));
    context.awaitDurable(security.accounts().create(role));
    return new BsonDocument();
  }
}
