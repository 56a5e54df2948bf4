package dev.orrery.server.command;

import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an {@link Envelope} as they came, null where there is none. Read for every request:
 * one pass over the command, and a place for each field instead of a map.
 */
final class EnvelopeFields {
  private final boolean hasStatements;
  @Nullable RawValue lsid;
  @Nullable RawValue txnNumber;
  @Nullable RawValue autocommit;
  @Nullable RawValue startTransaction;
  @Nullable RawValue coordinator;
  @Nullable RawValue retryCounter;
  @Nullable RawValue readConcern;
  @Nullable RawValue writeConcern;
  @Nullable RawValue readPreference;
  @Nullable RawValue maxTimeMillis;
  @Nullable RawValue comment;
  @Nullable RawValue apiVersion;
  @Nullable RawValue apiStrict;
  @Nullable RawValue apiDeprecationErrors;
  @Nullable RawValue databaseVersion;
  @Nullable RawValue shardVersion;
  @Nullable RawValue statementId;
  @Nullable RawValue statementIds;

  /**
   * @param hasStatements whether the numbers of a retryable write's statements are part of it
   */
  EnvelopeFields(boolean hasStatements) {
    this.hasStatements = hasStatements;
  }

  /** Keeps the field if every command may have it; false when it belongs to the command. */
  boolean take(String name, RawValue value) {
    switch (name) {
      case "$clusterTime", "$db" -> {} // nothing to follow in a set of one; read before
      case "lsid" -> lsid = given(value);
      case "txnNumber" -> txnNumber = given(value);
      case "autocommit" -> autocommit = given(value);
      case "startTransaction" -> startTransaction = given(value);
      case "coordinator" -> coordinator = given(value);
      case "txnRetryCounter" -> retryCounter = given(value);
      case "readConcern" -> readConcern = value;
      case "writeConcern" -> writeConcern = value;
      case "$readPreference" -> readPreference = value;
      case "maxTimeMS" -> maxTimeMillis = value;
      case "comment" -> comment = value;
      case "apiVersion" -> apiVersion = value;
      case "apiStrict" -> apiStrict = value;
      case "apiDeprecationErrors" -> apiDeprecationErrors = value;
      case "databaseVersion" -> databaseVersion = value;
      case "shardVersion" -> shardVersion = value;
      case "stmtId" -> {
        statementId = hasStatements ? value : null;
        return hasStatements;
      }
      case "stmtIds" -> {
        statementIds = hasStatements ? value : null;
        return hasStatements;
      }
      default -> {
        return isBetweenServers(name);
      }
    }
    return true;
  }

  /** A null is as good as nothing. */
  static @Nullable RawValue given(@Nullable RawValue value) {
    boolean isNothing =
        value == null || value.type() == RawTypes.NULL || value.type() == RawTypes.UNDEFINED;
    return isNothing ? null : value;
  }

  /** Between MongoDB's own servers; drivers never send them, and they change nothing here. */
  private static boolean isBetweenServers(String name) {
    return switch (name) {
      case "$audit",
          "$client",
          "$configServerState",
          "$configTime",
          "$oplogQueryData",
          "$queryOptions",
          "$replData",
          "$topologyTime",
          "allowImplicitCollectionCreation",
          "clientOperationKey",
          "maxTimeMSOpOnly",
          "mayBypassWriteBlocking",
          "tracking_info" ->
          true;
      default -> false;
    };
  }
}
