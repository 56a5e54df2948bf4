package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.ledger.CostScope;
import dev.orrery.server.ledger.Ledgers;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code startRequestUnitScope}: counts under a name what requests cost from now on. {@code by}
 * says which: those of the command's session, those with its comment, those of clients with an
 * appName, those to its database. All but the first are of other users too, so they are for users
 * who may see what others do.
 */
final class StartRequestUnitScopeCommand implements Command {
  private static final List<String> KINDS = List.of("session", "comment", "appName", "database");

  private final Ledgers ledgers;

  StartRequestUnitScopeCommand(Ledgers ledgers) {
    this.ledgers = ledgers;
  }

  @Override
  public Spec spec() {
    return Spec.of("startRequestUnitScope", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.requireString("startRequestUnitScope");
    String by = body.oneOf("by", KINDS, "session");
    String application = body.string("appName");
    body.finish();
    UnitScopes.requireName(name);
    CostScope scope = scope(context, by, application);
    if (!(scope instanceof CostScope.OfSession)
        && !context.allows(Action.INPROG, Resource.CLUSTER)) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, "not authorized to count what others spend");
    }
    if (ledgers.open(UnitScopes.key(context, name), scope) == null) {
      throw new CommandException(
          ErrorCode.OPERATION_FAILED,
          "there are %d scopes already; end some of them".formatted(Ledgers.OPEN_MAX));
    }
    return new BsonDocument("scope", new BsonString(name)).append("by", new BsonString(by));
  }

  private static CostScope scope(CommandContext context, String by, @Nullable String application) {
    return switch (by) {
      case "appName" -> new CostScope.OfApplication(require(application, "appName: <name>"));
      case "comment" ->
          new CostScope.OfComment(require(UnitScopes.comment(context), "comment: <text>"));
      case "database" -> new CostScope.OfDatabase(context.database());
      default ->
          new CostScope.OfSession(
              require(context.sessionFields().session(), "a session (lsid) of its own"));
    };
  }

  private static <T> T require(@Nullable T value, String what) {
    if (value == null) {
      throw new CommandException(ErrorCode.BAD_VALUE, "the scope needs " + what);
    }
    return value;
  }
}
