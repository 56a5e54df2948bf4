package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import org.bson.BsonDocument;

/** {@code commitTransaction} and {@code abortTransaction} where no transaction runs. */
final class EndTransactionCommand implements Command {
  private final String name;

  private EndTransactionCommand(String name) {
    this.name = name;
  }

  static EndTransactionCommand commit() {
    return new EndTransactionCommand("commitTransaction");
  }

  static EndTransactionCommand abort() {
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
