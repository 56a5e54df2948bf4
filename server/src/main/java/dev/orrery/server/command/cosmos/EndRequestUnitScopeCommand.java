package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.ledger.CostDocuments;
import dev.orrery.server.ledger.Costs;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.value.RawValue;
import java.util.Locale;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * {@code endRequestUnitScope}: what was spent since {@code startRequestUnitScope}. With {@code
 * maxRequestUnits} it fails when that was more.
 */
final class EndRequestUnitScopeCommand implements Command {
  private static final int DEAREST = 3;

  private final Ledgers ledgers;

  EndRequestUnitScopeCommand(Ledgers ledgers) {
    this.ledgers = ledgers;
  }

  @Override
  public Spec spec() {
    return Spec.of("endRequestUnitScope", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.requireString("endRequestUnitScope");
    RawValue limit = body.value("maxRequestUnits");
    body.finish();
    UnitScopes.requireName(name);
    if (limit != null && !limit.isNumber()) {
      throw new CommandException(ErrorCode.TYPE_MISMATCH, "maxRequestUnits must be a number");
    }
    Costs costs = ledgers.close(UnitScopes.key(context, name));
    if (costs == null) {
      throw new CommandException(ErrorCode.BAD_VALUE, "there is no scope '" + name + "'");
    }
    if (limit != null) {
      requireWithin(costs, limit.toBsonValue().asNumber().doubleValue(), name);
    }
    var reply = new BsonDocument("scope", new BsonString(name));
    reply.putAll(CostDocuments.of(costs));
    reply.remove("notOnCosmos"); // those, and faults, are counted for whole runs only
    reply.remove("faults");
    return reply;
  }

  private static void requireWithin(Costs costs, double limit, String name) {
    double spent = costs.total().charge().toDouble();
    if (spent <= limit) {
      return;
    }
    String dearest =
        costs.dearest(DEAREST).stream()
            .map(
                entry ->
                    String.format(
                        Locale.ROOT,
                        "%s (%.2f)",
                        entry.getKey(),
                        entry.getValue().dearest().toDouble()))
            .collect(Collectors.joining("; "));
    throw new CommandException(
        ErrorCode.OPERATION_FAILED,
        String.format(
            Locale.ROOT,
            "%s spent %.2f RU in %d requests, more than %.2f; the dearest: %s",
            name,
            spent,
            costs.total().requests(),
            limit,
            dearest));
  }
}
