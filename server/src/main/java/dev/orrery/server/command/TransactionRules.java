package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.server.session.SessionTransaction;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a command must not say inside a multi-document transaction; checked before it takes part.
 */
final class TransactionRules {
  /** What cannot be the first command of a transaction. */
  private static final Map<String, String> NO_STARTS =
      Map.of(
          "abortTransaction",
          "Cannot start a transaction with an abort",
          "commitTransaction",
          "Cannot start a transaction with a commit",
          "killCursors",
          "Cannot run killCursors as the first operation in a multi-document transaction.",
          "prepareTransaction",
          "Cannot start a transaction with a prepare");

  private TransactionRules() {}

  static void require(Call call, String database, Envelope envelope) {
    Command.Spec spec = call.known.spec();
    SessionFields session = envelope.session();
    if (!session.isTransaction()) {
      requireLevelOf(spec, envelope.readConcern());
      return;
    }
    requireCommand(spec);
    requireNamespace(database, call.body.peekText(call.known.collectionField()));
    if (session.startsTransaction() && NO_STARTS.containsKey(spec.name())) {
      throw notSupported(NO_STARTS.get(spec.name()));
    }
    if (!session.startsTransaction() && envelope.readConcern() != ReadConcern.DEFAULT) {
      throw invalid("Only the first command in a transaction may specify a readConcern");
    }
    requireLevel(envelope.readConcern());
    boolean isEnd = spec.has(Trait.ENDS_TRANSACTION);
    if (!isEnd && envelope.writeConcern() != WriteConcern.DEFAULT) {
      throw invalid("writeConcern is not allowed within a multi-statement transaction");
    }
  }

  private static void requireNamespace(String database, @Nullable String collection) {
    if (database.equals("local")) {
      throw notSupported("Cannot run command against the 'local' database in a transaction.");
    }
    if ("system.profile".equals(collection)) {
      throw notSupported(
          "Cannot run command against the '%s.%s' collection in a transaction."
              .formatted(database, collection));
    }
    if (database.equals("config")) {
      throw notSupported("Cannot run command against the config database in a transaction.");
    }
  }

  /** Refuses a statement that asks for another Stable API than the first one of its transaction. */
  static void requireSameApi(Command.Spec spec, ApiParameters api, SessionTransaction transaction) {
    String first = transaction.origin().api();
    if (transaction.state() == SessionTransaction.State.OPEN && !first.equals(api.text())) {
      throw new CommandException(
          ErrorCode.API_MISMATCH_ERROR,
          "API parameter mismatch: %s used params %s, the transaction's first command used %s"
              .formatted(spec.name(), api.text(), first));
    }
  }

  /** Collections and indexes are created in no transaction that reads at a point. */
  static void requireLevel(Command.Spec spec, SessionTransaction.Reading reading) {
    if (spec.has(Trait.DEFINES) && !reading.level().equals(ReadConcern.DEFAULT.level())) {
      throw invalid(
          "Command %s does not support this transaction's %s :: caused by :: read concern not"
                  .formatted(spec.name(), reading.concern())
              + " supported");
    }
  }

  /** Outside of transactions few commands take another read concern than local. */
  private static void requireLevelOf(Command.Spec spec, ReadConcern concern) {
    if (concern.isSnapshot() && spec.name().equals("getMore")) {
      return; // it asks its cursor, as drivers repeat the concern of a snapshot session
    }
    if (concern.isSnapshot() && !spec.has(Trait.SNAPSHOT)) {
      throw notTaken(spec, concern);
    }
    boolean isTaken = spec.has(Trait.SNAPSHOT) || spec.has(Trait.READ_CONCERN);
    if (!isTaken && !concern.level().equals(ReadConcern.DEFAULT.level())) {
      throw notTaken(spec, concern);
    }
  }

  static CommandException notTaken(Command.Spec spec, ReadConcern concern) {
    return invalid(
        "Command %s does not support %s :: caused by :: read concern not supported"
            .formatted(spec.name(), concern.text()));
  }

  private static void requireCommand(Command.Spec spec) {
    if (spec.has(Trait.TRANSACTION) || spec.has(Trait.ENDS_TRANSACTION)) {
      return;
    }
    String alternative =
        spec.name().equals("count")
            ? " Please see http://dochub.mongodb.org/core/transaction-count for a recommended"
                + " alternative."
            : "";
    throw notSupported(
        "Cannot run '%s' in a multi-document transaction.%s".formatted(spec.name(), alternative));
  }

  private static void requireLevel(ReadConcern concern) {
    switch (concern.level()) {
      case "local", "majority", "snapshot" -> {}
      default ->
          throw invalid(
              "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in"
                  + " order to run in a transaction");
    }
    if (concern.hasOpTime()) {
      throw invalid("The readConcern cannot specify 'afterOpTime' in a transaction");
    }
  }

  private static CommandException notSupported(String message) {
    return new CommandException(ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION, message);
  }

  private static CommandException invalid(String message) {
    return new CommandException(ErrorCode.INVALID_OPTIONS, message);
  }
}
