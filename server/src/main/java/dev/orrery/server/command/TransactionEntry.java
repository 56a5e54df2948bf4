package dev.orrery.server.command;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.session.Session;
import dev.orrery.server.session.SessionTransaction;
import dev.orrery.server.session.Transactions;
import org.jspecify.annotations.Nullable;

/** How one call gets into the transaction of its session, and out again. */
final class TransactionEntry {
  /** Of a call without a transaction. */
  static final TransactionEntry NONE = new TransactionEntry(null, null, null);

  private final @Nullable CommandContext context;
  private final Command.@Nullable Spec spec;
  private final @Nullable Transactions transactions;
  private @Nullable SessionTransaction transaction;

  TransactionEntry(
      @Nullable CommandContext context,
      Command.@Nullable Spec spec,
      @Nullable Transactions transactions) {
    this.context = context;
    this.spec = spec;
    this.transactions = transactions;
  }

  /** Null before {@link #enter}, and for calls without a transaction. */
  @Nullable SessionTransaction transaction() {
    return transaction;
  }

  /** Begins or continues the transaction, and waits until it is this call's turn. */
  void enter() {
    if (context == null || transaction != null) {
      return;
    }
    Lane.requireMayWait();
    SessionFields fields = context.sessionFields();
    Session session = context.session();
    SessionTransaction found =
        fields.startsTransaction()
            ? context
                .readConcern()
                .reading(() -> session.startTransaction(transactions, origin(context)))
            : session.requireTransaction(fields.txnNumber());
    found.take(context.operation()::check, context.operation()::kill);
    if (found.state() != SessionTransaction.State.OPEN) {
      found.give();
      throw found.ended();
    }
    requireSameApi(found);
    transaction = found;
    TransactionRules.requireLevel(spec, found.origin().reading());
    context.requireSameName();
    if (fields.startsTransaction() && fields.coordinates()) {
      throw new CommandException( // there are no shards to coordinate
          ErrorCode.NOT_WRITABLE_PRIMARY, "Transaction coordinator is not a primary");
    }
  }

  /** A statement that asks for another API than the first one has no part in the transaction. */
  private void requireSameApi(SessionTransaction found) {
    try {
      context.requireSameApi(spec, found);
    } catch (CommandException e) {
      found.give();
      throw e;
    }
  }

  private static SessionTransaction.Origin origin(CommandContext context) {
    ClientConnection connection = context.connection();
    SessionFields fields = context.sessionFields();
    return new SessionTransaction.Origin(
        fields.session(),
        fields.txnNumber(),
        new SessionTransaction.Reading(
            context.readConcern().atClusterTime(),
            context.readConcern().level(),
            context.readConcern().text()),
        context.envelope().api().text(),
        connection.clientKey(),
        connection::isOpen);
  }

  /** Ends the turn of the call; a failure ends the transaction. */
  void leave(boolean isFailed) {
    SessionTransaction left = transaction;
    if (left != null) {
      transaction = null;
      if (isFailed) {
        left.abort();
      }
      left.give();
    }
  }
}
