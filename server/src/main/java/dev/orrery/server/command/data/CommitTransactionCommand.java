package dev.orrery.server.command.data;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.session.SessionTransaction;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.bson.BsonDocument;

/**
 * {@code commitTransaction}: all changes of a transaction, at once; the same when it is repeated.
 */
public final class CommitTransactionCommand implements StagedCommand {
  private static final Spec SPEC =
      Spec.of(
          "commitTransaction",
          Access.WRITE,
          Trait.ADMIN_DATABASE,
          Trait.STABLE_API,
          Trait.ENDS_TRANSACTION,
          Trait.WRITE_CONCERN);

  private final RetryRecords records;
  private final DataServices services;
  private final Executor executor;

  /**
   * @param executor for nothing but the ends of transactions: whoever waits for what a transaction
   *     has claimed must not keep it from ending
   */
  public CommitTransactionCommand(DataServices services, Executor executor) {
    this.services = services;
    this.records = new RetryRecords(services.databases(), services.clock());
    this.executor = executor;
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    body.rawDocument("recoveryToken");
    RawValue time = body.value("commitTimestamp");
    if (time != null && time.type() != RawTypes.TIMESTAMP) {
      throw FieldErrors.wrongType(body.pathOf("commitTimestamp"), time.type(), "timestamp");
    }
    body.ignore("durableTimestamp");
    body.finish();
    EndedTransactions.requireSession(context, SPEC.name());
    return CompletableFuture.supplyAsync(() -> commit(context, time != null), executor);
  }

  private BsonDocument commit(CommandContext context, boolean isPrepared) {
    SessionTransaction transaction = EndedTransactions.take(context, SPEC);
    try {
      if (transaction.state() == SessionTransaction.State.ABORTED) {
        throw transaction.ended();
      }
      if (transaction.state() == SessionTransaction.State.COMMITTED) {
        context.awaitDurable(services.databases().engine().receipt());
      } else if (isPrepared) {
        transaction.abort();
        throw new CommandException(
            ErrorCode.INVALID_OPTIONS,
            "commitTransaction cannot provide commitTimestamp to unprepared transaction.");
      } else {
        commit(context, transaction);
      }
      return new BsonDocument();
    } finally {
      transaction.give();
    }
  }

  private void commit(CommandContext context, SessionTransaction transaction) {
    try {
      boolean hasWritten = transaction.changes().hasWritten();
      var meter = new WorkMeter();
      CommitResult result =
          Lane.await(
              transaction
                  .changes()
                  .commit(
                      () -> hasWritten ? List.of(records.committed(transaction)) : List.of(),
                      meter));
      for (WriteOutcome outcome : result.outcomes()) {
        if (!outcome.isApplied() && outcome.status() != WriteOutcome.Status.NOT_APPLIED) {
          throw failure(transaction);
        }
      }
      if (hasWritten) {
        context.session().keepsRecords();
      }
      transaction.committed();
      context.awaitDurable(result.receipt());
    } catch (RuntimeException | Error e) {
      transaction.abort();
      throw e;
    }
  }

  /** Only what others did to a collection itself can keep a commit from being made. */
  private static CommandException failure(SessionTransaction transaction) {
    return new CommandException(
        ErrorCode.NO_SUCH_TRANSACTION,
        ("Transaction with { txnNumber: %d } has been aborted: a collection that it wrote to was"
                + " dropped, or got an index that refuses its documents.")
            .formatted(transaction.number()));
  }
}
