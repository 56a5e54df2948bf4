package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.value.Namespace;

/** What a write inside a transaction may fail with, in MongoDB's words. */
final class TransactionErrors {
  /** What all changes of one transaction may take in memory: a share of the heap. */
  private static final long BYTES_MAX = Runtime.getRuntime().maxMemory() / 8;

  private TransactionErrors() {}

  /** Somebody else has changed the document since the transaction began, or is about to. */
  static CommandException conflict(WriteBatch batch) {
    boolean isInsert =
        batch.operations().stream().allMatch(one -> one instanceof WriteOperation.Insert);
    return new CommandException(
        ErrorCode.WRITE_CONFLICT,
        isInsert
            ? "Caused by :: WiredTigerIdIndex::_insert: index: _id_; uri: table:index-_id_ :: Please retry your"
                + " operation or multi-document transaction."
            : "Caused by :: Write conflict during plan execution and yielding is disabled. ::"
                + " Please retry your operation or multi-document transaction.");
  }

  static void requireSize(long bytes) {
    if (bytes > BYTES_MAX) {
      throw new CommandException(
          ErrorCode.TRANSACTION_TOO_LARGE,
          "the changes of a transaction take %d bytes, more than the %d that are allowed; commit"
                  .formatted(bytes, BYTES_MAX)
              + " more often, or start the server with a larger heap");
    }
  }

  static CommandException capped(Namespace namespace) {
    return new CommandException(
        ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION,
        "Collection '%s' is a capped collection. Writes in transactions are not allowed on capped"
                .formatted(namespace)
            + " collections.");
  }
}
