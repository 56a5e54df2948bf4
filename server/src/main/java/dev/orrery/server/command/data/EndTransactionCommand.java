package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;

/** {@code commitTransaction} and {@code abortTransaction} where no transaction runs. */
public final class EndTransactionCommand implements Command {
  private final String name;

  private EndTransactionCommand(String name) {
    this.name = name;
  }

  public static EndTransactionCommand commit() {
    return new EndTransactionCommand("commitTransaction");
  }

  public static EndTransactionCommand abort() {
    return new EndTransactionCommand("abortTransaction");
  }

  @Override
  public Spec spec() {
    return Spec.of(name, Access.WRITE, Trait.ADMIN_DATABASE, Trait.STABLE_API, Trait.TRANSACTION);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("recoveryToken");
    body.finish();
    throw new CommandException(
        ErrorCode.COMMAND_FAILED, name + " must be run within a transaction");
  }
}
