package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.value.Namespace;

/** What a write inside a transaction may fail with, in MongoDB's words. */
final class TransactionErrors {
  private static final String PLAIN_CONFLICT =
      "Caused by :: Write conflict during plan execution and yielding is disabled. ::"
          + " Please retry your operation or multi-document transaction.";

  private TransactionErrors() {}

  /** Somebody else has changed the document since the transaction began, or is about to. */
  static CommandException conflict(WriteBatch batch, WriteOutcome outcome) {
    boolean isInsert =
        batch.operations().stream().allMatch(one -> one instanceof WriteOperation.Insert);
    if (!isInsert) {
      return conflict();
    }
    String where =
        outcome.index() == null
            ? "WiredTigerIdIndex::_insert: index: _id_; uri: table:index-_id_"
            : "WiredTigerIndexUnique::_insert: duplicate: %1$s; uri: table:index-%1$s"
                .formatted(outcome.index().name());
    return new CommandException(
        ErrorCode.WRITE_CONFLICT,
        "Caused by :: %s :: Please retry your operation or multi-document transaction."
            .formatted(where));
  }

  /** The same, of whatever kind it was. */
  static CommandException conflict() {
    return new CommandException(ErrorCode.WRITE_CONFLICT, PLAIN_CONFLICT);
  }

  static CommandException timeSeries(Namespace namespace) {
    return new CommandException(
        ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION,
        "time-series insert failed: %1$s :: caused by :: Cannot insert into a time-series collection in a multi-document transaction: %1$s"
            .formatted(namespace));
  }

  static CommandException capped(Namespace namespace) {
    return new CommandException(
        ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION,
        "Collection '%s' is a capped collection. Writes in transactions are not allowed on capped"
                .formatted(namespace)
            + " collections.");
  }
}
