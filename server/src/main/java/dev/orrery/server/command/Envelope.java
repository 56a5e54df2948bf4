package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields that every command may carry, read once for all of them. What is left in the reader
 * belongs to the command.
 *
 * @param comment null when there is none
 * @param statements the numbers of the statements of a retryable write
 */
public record Envelope(
    SessionFields session,
    ApiParameters api,
    ReadConcern readConcern,
    WriteConcern writeConcern,
    String readPreference,
    long maxTimeMillis,
    RawValue comment,
    StatementIds statements) {
  /** That of a call that the server makes itself. */
  public static final Envelope NONE =
      new Envelope(
          SessionFields.NONE,
          ApiParameters.NONE,
          ReadConcern.DEFAULT,
          WriteConcern.DEFAULT,
          "primary",
          0,
          null,
          StatementIds.FROM_ZERO);

  private static final List<String> READ_PREFERENCES =
      List.of("primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest");

  /** Takes the generic fields out of {@code body}. */
  public static Envelope read(CommandReader body, Command.Spec spec) {
    var found = new EnvelopeFields(spec.has(Trait.RETRYABLE_WRITE));
    for (int i = 0; i < body.size(); i++) {
      if (!body.isUsed(i) && found.take(body.nameAt(i), body.valueAt(i))) {
        body.value(body.nameAt(i)); // marks it, and refuses a second one
      }
    }
    requireObject("databaseVersion", found.databaseVersion);
    requireObject("shardVersion", found.shardVersion);
    return new Envelope(
        SessionFields.parse(found, spec),
        ApiParameters.parse(found.apiVersion, found.apiStrict, found.apiDeprecationErrors),
        isNothing(found.readConcern) ? ReadConcern.DEFAULT : ReadConcern.parse(found.readConcern),
        isNothing(found.writeConcern)
            ? WriteConcern.DEFAULT
            : WriteConcern.parse(found.writeConcern),
        found.readPreference == null ? "primary" : parseReadPreference(found.readPreference),
        found.maxTimeMillis == null ? 0 : parseMaxTime(body, found.maxTimeMillis),
        found.comment,
        StatementIds.parse(body, found.statementId != null, found.statementIds != null));
  }

  /** An empty concern is that of the server. */
  private static boolean isNothing(@Nullable RawValue concern) {
    return concern == null || concern.isDocument() && concern.asDocument().isEmpty();
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
        statements);
  }

  private static void requireObject(String name, @Nullable RawValue value) {
    if (value != null && !value.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_10065, "invalid parameter: expected an object (" + name + ")");
    }
  }

  private static long parseMaxTime(CommandReader body, RawValue value) {
    if (body.path().equals("aggregate")) {
      body.nonNegative("maxTimeMS", 0); // which has it as a field of its own, by the usual rules
    }
    if (!value.isNumber()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "maxTimeMS must be a number");
    }
    long millis = RawNumbers.toLong(value);
    if (millis < 0 || millis > Integer.MAX_VALUE) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "%d value for maxTimeMS is out of range [0, %d]".formatted(millis, Integer.MAX_VALUE));
    }
    if (value.type() == RawTypes.DOUBLE && value.asDouble() != millis) {
      throw new CommandException(ErrorCode.BAD_VALUE, "maxTimeMS has non-integral value");
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
