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
import org.jspecify.annotations.Nullable;

/** {@code updateUser}: another password, other roles, other custom data; what is named counts. */
final class UpdateUserCommand implements StagedCommand {
  private final Security security;

  UpdateUserCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("updateUser", Access.ADMIN, Trait.LONG, Trait.WRITE_CONCERN);
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    var name = new UserName(body.requireString("updateUser"), context.database());
    User known = security.accounts().find(name);
    var password = NewPassword.parse(body, mechanisms(known));
    List<RoleName> roles =
        body.has("roles") ? RoleNames.parse(name.database(), body.array("roles")) : null;
    RawDocument data = body.rawDocument("customData");
    Restrictions restrictions = RestrictionsField.parse(body);
    body.finish();
    if (password.text() == null && roles == null && data == null && restrictions == null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "Must specify at least one field to update in updateUser");
    }
    CompletionStage<User.Credentials> credentials =
        password.text() == null || known == null
            ? CompletableFuture.completedFuture(null)
            : password.derive(security, name);
    return credentials.thenApply(
        derived -> {
          context.awaitDurable(
              security
                  .accounts()
                  .update(
                      name, user -> restrict(change(user, derived, roles, data), restrictions)));
          return new BsonDocument();
        });
  }

  /** Those that the user has, so that a new password opens the same doors. */
  private static List<ScramMechanism> mechanisms(User known) {
    return known == null || known.credentials().mechanisms().isEmpty()
        ? List.of(ScramMechanism.values())
        : List.copyOf(known.credentials().mechanisms());
  }

  private static User restrict(User user, @Nullable Restrictions restrictions) {
    return restrictions == null ? user : user.withRestrictions(restrictions);
  }

  private static User change(
      User user, User.Credentials credentials, List<RoleName> roles, RawDocument data) {
    User changed = user;
    if (credentials != null) {
      changed = changed.withCredentials(credentials);
    }
    if (roles != null) {
      changed = changed.withRoles(roles);
    }
    return data == null ? changed : changed.withCustomData(data.toBsonDocument());
  }
}
