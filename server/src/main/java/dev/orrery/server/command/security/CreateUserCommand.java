package dev.orrery.server.command.security;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Restrictions;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.ScramMechanism;
import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.User;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;

/** {@code createUser}: a user of the database, with a password unless it is {@code $external}. */
final class CreateUserCommand implements StagedCommand {
  private final Security security;

  CreateUserCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("createUser", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    String text = body.requireString("createUser");
    var password = NewPassword.parse(body, List.of(ScramMechanism.values()));
    var values = body.requireArray("roles");
    RawDocument data = body.rawDocument("customData");
    Restrictions restrictions = RestrictionsField.parse(body);
    body.finish();
    var name = new UserName(text, context.database());
    requireSensible(name, password);
    List<RoleName> roles = RoleNames.parse(name.database(), values);
    // Without a login the caller could only get here as the first of all.
    boolean mustBeFirst = security.isEnforced() && !security.isKnown(context.connection().login());
    CompletionStage<User.Credentials> credentials =
        password.text() == null
            ? CompletableFuture.completedFuture(User.Credentials.NONE)
            : password.derive(security, name);
    return credentials.thenApply(
        derived -> {
          var user =
              new User(
                  name,
                  security.newUserId(),
                  derived,
                  roles,
                  data == null ? null : data.toBsonDocument(),
                  restrictions == null ? Restrictions.NONE : restrictions);
          context.awaitDurable(security.accounts().create(user, mustBeFirst));
          return new BsonDocument();
        });
  }

  private static void requireSensible(UserName name, NewPassword password) {
    boolean isExternal = name.database().equals(UserName.EXTERNAL);
    if (name.user().isEmpty() || name.user().indexOf('\0') >= 0) {
      throw new CommandException(ErrorCode.BAD_VALUE, "Username cannot be empty or hold a null");
    }
    if (name.database().equals("local")) {
      throw new CommandException(ErrorCode.BAD_VALUE, "Cannot create users in the local database");
    }
    if (!isExternal && password.text() == null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Must provide a 'pwd' field for all user documents, except those with '$external' as the"
              + " user's source db");
    }
    if (isExternal && password.text() != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Cannot set the password for users defined on the '$external' database");
    }
  }
}
