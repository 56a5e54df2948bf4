package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Fault;
import dev.orrery.server.command.Faults;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/**
 * {@code clearFaults}: ends the fault of a name, or all with 1, and tells how often each struck.
 * Only on servers with {@code --test-commands}.
 */
final class ClearFaultsCommand implements Command {
  private final Faults faults;

  ClearFaultsCommand(Faults faults) {
    this.faults = faults;
  }

  @Override
  public Spec spec() {
    return Spec.of("clearFaults", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue which = body.value("clearFaults");
    body.finish();
    boolean isOne = which != null && which.type() == RawTypes.STRING;
    Collection<String> names =
        isOne ? List.of(which.asString()) : new TreeSet<>(faults.all().keySet());
    var struck = new BsonDocument();
    for (String name : names) {
      Fault fault = faults.remove(name);
      if (fault != null) {
        struck.append(name, new BsonInt64(fault.count()));
      } else if (isOne) {
        throw new CommandException(ErrorCode.BAD_VALUE, "there is no fault '" + name + "'");
      }
    }
    return new BsonDocument("struck", struck);
  }
}
