package dev.orrery.server.command.data;

import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.session.SessionTransaction;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.bson.BsonDocument;

/** {@code abortTransaction}: nothing of a transaction stays. */
public final class AbortTransactionCommand implements StagedCommand {
  private static final Spec SPEC =
      Spec.of(
          "abortTransaction",
          Access.WRITE,
          Trait.ADMIN_DATABASE,
          Trait.STABLE_API,
          Trait.ENDS_TRANSACTION,
          Trait.WRITE_CONCERN);

  private final Executor executor;

  /**
   * @param executor for nothing but the ends of transactions
   */
  public AbortTransactionCommand(Executor executor) {
    this.executor = executor;
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    body.rawDocument("recoveryToken");
    body.finish();
    EndedTransactions.requireSession(context, SPEC.name());
    return CompletableFuture.supplyAsync(() -> abort(context), executor);
  }

  private static BsonDocument abort(CommandContext context) {
    SessionTransaction transaction = EndedTransactions.take(context, SPEC);
    try {
      if (transaction.state() != SessionTransaction.State.OPEN) {
        throw transaction.ended();
      }
      transaction.abort();
      return new BsonDocument();
    } finally {
      transaction.give();
    }
  }
}
