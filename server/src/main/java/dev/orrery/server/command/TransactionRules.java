package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import java.util.Set;

/**
 * What a command must not say inside a multi-document transaction; checked before it takes part.
 */
final class TransactionRules {
  private static final Set<String> NO_DATABASES = Set.of("config", "local");

  private TransactionRules() {}

  static void require(Command.Spec spec, String database, Envelope envelope) {
    SessionFields session = envelope.session();
    if (!session.isTransaction()) {
      requireLevelOf(spec, envelope.readConcern());
      return;
    }
    requireCommand(spec);
    if (NO_DATABASES.contains(database)) {
      throw notSupported(
          "Cannot run command against the '%s' database in a transaction.".formatted(database));
    }
    boolean isEnd = spec.has(Trait.ENDS_TRANSACTION);
    if (isEnd && session.startsTransaction()) {
      throw notSupported(
          spec.name().startsWith("commit")
              ? "Cannot start a transaction with a commit"
              : "Cannot start a transaction with an abort");
    }
    if (!isEnd && envelope.writeConcern() != WriteConcern.DEFAULT) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS,
          "writeConcern is not allowed within a multi-statement transaction");
    }
    if (!session.startsTransaction() && envelope.readConcern() != ReadConcern.DEFAULT) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS,
          "Only the first command in a transaction may specify a readConcern");
    }
    requireLevel(envelope.readConcern());
  }

  /** Commands that read nothing, or not at a point. */
  static void requireSnapshot(Command.Spec spec, ReadConcern concern, String whose) {
    if (concern.isSnapshot() && !spec.has(Trait.SNAPSHOT)) {
      throw notTaken(spec, concern, whose);
    }
  }

  /** Outside of transactions few commands take another read concern than local. */
  private static void requireLevelOf(Command.Spec spec, ReadConcern concern) {
    if (concern.isSnapshot() && spec.name().equals("getMore")) {
      return; // it asks its cursor, as drivers repeat the concern of a snapshot session
    }
    requireSnapshot(spec, concern, "");
    boolean isTaken = spec.has(Trait.SNAPSHOT) || spec.has(Trait.READ_CONCERN);
    if (!isTaken && !concern.level().equals(ReadConcern.DEFAULT.level())) {
      throw notTaken(spec, concern, "");
    }
  }

  static CommandException notTaken(Command.Spec spec, ReadConcern concern, String whose) {
    return new CommandException(
        ErrorCode.INVALID_OPTIONS,
        "Command %s does not support %s%s :: caused by :: read concern not supported"
            .formatted(spec.name(), whose, concern.text()));
  }

  private static void requireCommand(Command.Spec spec) {
    if (spec.has(Trait.TRANSACTION) || spec.has(Trait.ENDS_TRANSACTION)) {
      return;
    }
    boolean isSession = spec.name().endsWith("Session") || spec.name().endsWith("Sessions");
    if (spec.access() == Command.Access.ANONYMOUS && !isSession) {
      throw notSupported("This command is not supported in transactions");
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
          throw new CommandException(
              ErrorCode.INVALID_OPTIONS,
              "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in"
                  + " order to run in a transaction");
    }
  }

  private static CommandException notSupported(String message) {
    return new CommandException(ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION, message);
  }
}
