package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;

/** What commit and abort have in common. */
final class EndedTransactions {
  private EndedTransactions() {}

  /** Refuses to end what does not say which transaction it is. */
  static void requireSession(CommandContext context, String command) {
    if (!context.sessionFields().isTransaction() || context.session() == null) {
      throw new CommandException(
          ErrorCode.COMMAND_FAILED, command + " must be run within a transaction");
    }
  }
}
