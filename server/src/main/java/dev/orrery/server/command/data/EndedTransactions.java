package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.session.SessionTransaction;

/** What commit and abort have in common. */
final class EndedTransactions {
  private EndedTransactions() {}

  /** Waits for the turn of the call in the transaction that it ends. */
  static SessionTransaction take(CommandContext context, Command.Spec spec) {
    SessionTransaction transaction =
        context.session().requireTransaction(context.sessionFields().txnNumber());
    transaction.take(context.operation()::check, context.operation()::kill);
    try {
      context.requireSameApi(spec, transaction);
      return transaction;
    } catch (CommandException e) {
      transaction.give();
      throw e;
    }
  }

  /** Refuses to end what does not say which transaction it is. */
  static void requireSession(CommandContext context, String command) {
    if (!context.sessionFields().isTransaction() || context.session() == null) {
      throw new CommandException(
          ErrorCode.COMMAND_FAILED, command + " must be run within a transaction");
    }
  }
}
