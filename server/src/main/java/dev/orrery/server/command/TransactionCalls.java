package dev.orrery.server.command;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.server.session.Snapshots;
import dev.orrery.server.session.Transactions;
import dev.orrery.storage.View;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls inside the transactions of their sessions: one after the other, and an error, be it of
 * the command or of one of its statements, ends the transaction.
 */
public final class TransactionCalls {
  private final Transactions transactions;
  private final Snapshots snapshots;

  public TransactionCalls(Transactions transactions, Snapshots snapshots) {
    this.transactions = transactions;
    this.snapshots = snapshots;
  }

  /** Runs a command that reads at a point, outside of transactions. */
  CompletionStage<BsonDocument> runAt(
      CommandContext context, Supplier<CompletionStage<BsonDocument>> work) {
    Lane.requireMayWait();
    ReadConcern concern = context.readConcern();
    View view = concern.reading(() -> snapshots.at(concern.atClusterTime()));
    if (context.operation().subject().command().equals("getMore")) {
      return work.get(); // the cursor reads where it was opened; its point is kept for longer
    }
    context.readAt(view);
    long time = concern.atClusterTime() == 0 ? view.time() : concern.atClusterTime();
    return work.get().thenApply(reply -> withTime(reply, new BsonTimestamp(time)));
  }

  /** Tells a client where to come back to. */
  private static BsonDocument withTime(BsonDocument reply, BsonTimestamp time) {
    BsonDocument holder = reply.getDocument("cursor", reply);
    holder.append("atClusterTime", time);
    return reply;
  }

  /** Runs a command in its transaction. */
  CompletionStage<BsonDocument> run(
      CommandContext context, Command.Spec spec, Supplier<CompletionStage<BsonDocument>> work) {
    var entry = new TransactionEntry(context, spec, transactions);
    context.taking(entry);
    try {
      if (!spec.has(Trait.PARSED_FIRST) && !spec.has(Trait.ENDS_TRANSACTION)) {
        entry.enter();
      }
      return work.get()
          .whenComplete(
              (reply, failure) -> entry.leave(failure != null || reply.containsKey("writeErrors")))
          .thenApply(TransactionCalls::requireUnits);
    } catch (RuntimeException | Error failure) {
      entry.leave(true);
      throw failure;
    }
  }

  /** For want of request units all of a transaction fails, and may succeed a little later. */
  private static BsonDocument requireUnits(BsonDocument reply) {
    for (BsonValue each : reply.getArray("writeErrors", new BsonArray())) {
      BsonDocument error = each.asDocument();
      if (error.getInt32("code").getValue() == ErrorCode.REQUEST_RATE_TOO_LARGE.number()) {
        var details = error.clone();
        List.of("index", "code", "errmsg").forEach(details::remove);
        throw new CommandException(
            ErrorCode.REQUEST_RATE_TOO_LARGE, error.getString("errmsg").getValue(), details);
      }
    }
    return reply;
  }

  /** The error with the label that tells drivers to try again; null stays null. */
  static @Nullable CommandException withLabel(
      @Nullable CommandException error, @Nullable CommandContext context) {
    if (error == null || context == null || error.details().containsKey("errorLabels")) {
      return error;
    }
    BsonArray labels = ErrorLabels.of(error.code().number(), 0, ErrorLabels.Sent.of(context));
    if (labels == null) {
      return error;
    }
    var details = new BsonDocument("errorLabels", labels);
    details.putAll(error.details());
    return new CommandException(error.code(), error.getMessage(), details);
  }
}
