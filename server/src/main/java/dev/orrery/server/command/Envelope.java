package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields that every command may carry, read once for all of them. What is left in the reader
 * belongs to the command.
 *
 * @param comment null when there is none
 * @param statements the numbers of the statements of a retryable write
 * @param hasClusterTime whether the client keeps track of the cluster time
 */
record Envelope(
    SessionFields session,
    ApiParameters api,
    ReadConcern readConcern,
    WriteConcern writeConcern,
    String readPreference,
    long maxTimeMillis,
    RawValue comment,
    StatementIds statements,
    boolean hasClusterTime) {
  /** That of a call that the server makes itself. */
  static final Envelope NONE =
      new Envelope(
          SessionFields.NONE,
          ApiParameters.NONE,
          ReadConcern.DEFAULT,
          WriteConcern.DEFAULT,
          "primary",
          0,
          null,
          StatementIds.FROM_ZERO,
          false);

  private static final List<String> READ_PREFERENCES =
      List.of("primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest");

  /** Takes the generic fields out of {@code body}. */
  static Envelope read(CommandReader body, boolean isRetryableWrite) {
    Map<String, RawValue> found = new HashMap<>();
    for (String name : body.remaining()) {
      boolean isStatement = name.equals("stmtId") || name.equals("stmtIds");
      if (isGeneric(name) || isRetryableWrite && isStatement) {
        found.put(name, body.value(name));
      }
    }
    requireObject(found, "databaseVersion");
    requireObject(found, "shardVersion");
    RawValue readConcern = found.get("readConcern");
    RawValue writeConcern = found.get("writeConcern");
    RawValue readPreference = found.get("$readPreference");
    return new Envelope(
        SessionFields.parse(
            found.get("lsid"),
            found.get("txnNumber"),
            found.get("autocommit"),
            found.get("startTransaction")),
        ApiParameters.parse(
            found.get("apiVersion"), found.get("apiStrict"), found.get("apiDeprecationErrors")),
        readConcern == null ? ReadConcern.DEFAULT : ReadConcern.parse(readConcern),
        writeConcern == null ? WriteConcern.DEFAULT : WriteConcern.parse(writeConcern),
        readPreference == null ? "primary" : parseReadPreference(readPreference),
        found.containsKey("maxTimeMS") ? parseMaxTime(body) : 0,
        found.get("comment"),
        StatementIds.parse(body, found.keySet()),
        found.containsKey("$clusterTime"));
  }

  /** The same in a session of that user, if it is in a session at all. */
  Envelope ownedBy(String owner) {
    if (session.session() == null || owner.isEmpty()) {
      return this;
    }
    return new Envelope(
        session.ownedBy(owner),
        api,
        readConcern,
        writeConcern,
        readPreference,
        maxTimeMillis,
        comment,
        statements,
        hasClusterTime);
  }

  private static boolean isGeneric(String name) {
    return switch (name) {
      case "$db",
          "lsid",
          "txnNumber",
          "autocommit",
          "startTransaction",
          "readConcern",
          "writeConcern",
          "$readPreference",
          "maxTimeMS",
          "comment",
          "apiVersion",
          "apiStrict",
          "apiDeprecationErrors",
          "$clusterTime" ->
          true;
      // Between MongoDB's own servers; drivers never send them, and they change nothing here.
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
          "coordinator",
          "databaseVersion",
          "maxTimeMSOpOnly",
          "mayBypassWriteBlocking",
          "shardVersion",
          "tracking_info",
          "txnRetryCounter" ->
          true;
      default -> false;
    };
  }

  private static void requireObject(Map<String, RawValue> found, String name) {
    RawValue value = found.get(name);
    if (value != null && !value.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_10065, "invalid parameter: expected an object (" + name + ")");
    }
  }

  private static long parseMaxTime(CommandReader body) {
    long millis = body.nonNegative("maxTimeMS", 0);
    if (millis > Integer.MAX_VALUE) {
      throw FieldErrors.outOfRange("maxTimeMS", "<= " + Integer.MAX_VALUE, millis);
    }
    return millis;
  }

  private static String parseReadPreference(RawValue value) {
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "$readPreference has incorrect type: expected object but got "
              + BsonTypeNames.of(value.type()));
    }
    RawValue mode = value.asDocument().field("mode");
    if (mode == null) {
      throw FieldErrors.missing("mode");
    }
    if (mode.type() != RawTypes.STRING) {
      throw FieldErrors.wrongType("mode", mode.type(), "string");
    }
    if (!READ_PREFERENCES.contains(mode.asString())) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          ("Could not parse $readPreference mode '%s'. Only the modes 'primary',"
                  + " 'primaryPreferred', 'secondary', 'secondaryPreferred', and 'nearest' are"
                  + " supported. :: caused by :: %s")
              .formatted(
                  mode.asString(), FieldErrors.notOneOf("mode", mode.asString()).getMessage()));
    }
    return mode.asString();
  }
}
