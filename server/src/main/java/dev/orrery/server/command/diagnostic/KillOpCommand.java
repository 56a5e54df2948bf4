package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.BsonTypeNames;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.operation.Client;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.OperationReport;
import dev.orrery.server.operation.Operations;
import dev.orrery.value.RawValue;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code killOp}: asks an operation to end, which it does a little later. One that nobody knows
 * (any more) is no error, in MongoDB too.
 */
final class KillOpCommand implements Command {
  private final Operations operations;

  KillOpCommand(Operations operations) {
    this.operations = operations;
  }

  @Override
  public Spec spec() {
    return Spec.of("killOp", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue operation = body.value("op");
    body.ignoreRest();
    body.finish();
    int id = id(operation);
    UserName user = OperationReport.user(context.connection());
    boolean mayKillAny = context.allows(Action.KILL_OP, Resource.CLUSTER);
    Predicate<Operation> which =
        each -> each.id() == id && (mayKillAny || isOf(user, each.client()));
    if (!mayKillAny && operations.running().stream().noneMatch(which)) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED,
          "not authorized on admin to execute command { killOp: 1, op: " + id + " }");
    }
    operations.kill(which, ErrorCode.INTERRUPTED);
    return new BsonDocument("info", new BsonString("attempting to kill op"));
  }

  /** Everybody may end what they began. */
  private static boolean isOf(@Nullable UserName user, Client client) {
    return user != null && user.equals(OperationReport.user(client));
  }

  private static int id(RawValue operation) {
    if (operation == null) {
      throw new CommandException(ErrorCode.NO_SUCH_KEY, "Missing expected field \"op\"");
    }
    if (!operation.isNumber()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "Expected field \"op\" to have numeric type, but found "
              + BsonTypeNames.of(operation.type()));
    }
    long id = RawNumbers.toLong(operation);
    if (id != (int) id) {
      throw new CommandException(
          ErrorCode.LOCATION_26823,
          "invalid op : %d. Op ID cannot be represented with 32 bits".formatted(id));
    }
    return (int) id;
  }
}
