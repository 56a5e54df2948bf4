package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.server.session.SessionId;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The session and transaction a command belongs to.
 *
 * @param session null without {@code lsid}
 * @param txnNumber null when the command carries none
 * @param isTransaction part of a multi-document transaction ({@code autocommit: false})
 * @param startsTransaction the first command of that transaction
 * @param coordinates whether it asks for a coordinator of several shards
 */
public record SessionFields(
    SessionId session,
    Long txnNumber,
    boolean isTransaction,
    boolean startsTransaction,
    boolean coordinates) {
  static final SessionFields NONE = new SessionFields(null, null, false, false, false);
  private static final String PATH = "OperationSessionInfo.";
  private static final byte[] ID = "id".getBytes(StandardCharsets.UTF_8);
  private static final byte UUID_SUBTYPE = 4;
  private static final int UUID_BYTES = 16;

  /** Values as they came, null for a missing one. */
  static SessionFields parse(
      RawValue lsid,
      RawValue txnNumber,
      RawValue autocommit,
      RawValue startTransaction,
      RawValue coordinator) {
    SessionId session = lsid == null ? null : sessionId(lsid);
    Long number = txnNumber == null ? null : number(txnNumber);
    Boolean commits = autocommit == null ? null : bool("autocommit", autocommit);
    Boolean starts = startTransaction == null ? null : bool("startTransaction", startTransaction);
    boolean coordinates = coordinator != null && bool("coordinator", coordinator);
    require(
        number == null || session != null,
        "Transaction number requires a session ID to also be specified");
    require(
        commits == null || number != null,
        "'autocommit' field requires a transaction number to also be specified");
    require(!Boolean.TRUE.equals(commits), "Specifying autocommit=true is not allowed.");
    require(
        starts == null || commits != null,
        "'startTransaction' field requires 'autocommit' field to also be specified");
    require(!Boolean.FALSE.equals(starts), "Specifying startTransaction=false is not allowed.");
    return new SessionFields(session, number, commits != null, starts != null, coordinates);
  }

  SessionFields ownedBy(String owner) {
    return new SessionFields(
        new SessionId(session.id(), owner),
        txnNumber,
        isTransaction,
        startsTransaction,
        coordinates);
  }

  /** Refuses a transaction number on a command that has no use for it. */
  void requireAllowed(Command.Spec spec) {
    boolean isRetryable = spec.has(Trait.RETRYABLE_WRITE);
    if (txnNumber != null && !isTransaction && !isRetryable) {
      throw new CommandException(
          ErrorCode.NOT_A_RETRYABLE_WRITE_COMMAND,
          "txnNumber may only be provided for multi-document transactions and retryable write"
              + " commands. autocommit:false was not provided, and "
              + spec.name()
              + " is not a retryable write command.");
    }
  }

  /** A session id as it stands in {@code lsid} and in the arrays of endSessions and the like. */
  public static SessionId sessionId(String path, RawDocument document) {
    var reader = CommandReader.of(path, document);
    RawValue id = reader.value("id");
    UUID uuid = id == null || id.type() == RawTypes.NULL ? null : uuid(path + ".id", id);
    require(
        !reader.has("txnUUID") && !reader.has("txnNumber"),
        "Internal sessions are not supported outside of transactions");
    reader.ignore("uid");
    reader.finish();
    if (uuid == null) {
      throw FieldErrors.missing(path + ".id");
    }
    return new SessionId(uuid, "");
  }

  private static SessionId sessionId(RawValue lsid) {
    if (!lsid.isDocument()) {
      throw FieldErrors.wrongType(PATH + "lsid", lsid.type(), "object");
    }
    RawElements only = lsid.asDocument().elements();
    if (only.next() && only.nameEquals(ID) && isUuid(only.value())) {
      UUID uuid = uuid(only.value());
      if (!only.next()) {
        return new SessionId(uuid, ""); // what every driver sends
      }
    }
    return sessionId(PATH + "lsid", lsid.asDocument());
  }

  private static boolean isUuid(RawValue value) {
    return value.type() == RawTypes.BINARY
        && value.bytes()[value.offset() + 4] == UUID_SUBTYPE
        && LittleEndian.int32(value.bytes(), value.offset()) == UUID_BYTES;
  }

  private static UUID uuid(String path, RawValue value) {
    if (value.type() != RawTypes.BINARY) {
      throw FieldErrors.wrongType(path, value.type(), "binData");
    }
    byte subtype = value.bytes()[value.offset() + 4];
    if (subtype != UUID_SUBTYPE) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "BSON field '%s' is the wrong binData type '%s', expected type 'UUID'"
              .formatted(path, subtype == 0 ? "general" : Byte.toUnsignedInt(subtype)));
    }
    if (LittleEndian.int32(value.bytes(), value.offset()) != UUID_BYTES) {
      throw new CommandException(
          ErrorCode.INVALID_UUID, "uuid must be a 16-byte binary field with UUID (4) subtype");
    }
    return uuid(value);
  }

  private static UUID uuid(RawValue value) {
    int at = value.offset() + 5;
    return new UUID(
        Long.reverseBytes(LittleEndian.int64(value.bytes(), at)),
        Long.reverseBytes(LittleEndian.int64(value.bytes(), at + Long.BYTES)));
  }

  private static long number(RawValue value) {
    if (value.type() != RawTypes.INT64) {
      throw FieldErrors.wrongType(PATH + "txnNumber", value.type(), "long");
    }
    long number = value.asInt64();
    require(number >= 0, "Transaction number cannot be negative");
    return number;
  }

  private static boolean bool(String name, RawValue value) {
    if (value.type() != RawTypes.BOOLEAN) {
      throw FieldErrors.wrongType(PATH + name, value.type(), "bool");
    }
    return value.asBoolean();
  }

  private static void require(boolean isTrue, String otherwise) {
    if (!isTrue) {
      throw new CommandException(ErrorCode.INVALID_OPTIONS, otherwise);
    }
  }
}
