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
import org.jspecify.annotations.Nullable;

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
  private static final byte DIGEST_SUBTYPE = 0;

  /** Of a SHA-256. */
  private static final int DIGEST_BYTES = 32;

  /** Of the fields as they came with a command. */
  static SessionFields parse(EnvelopeFields found, Command.Spec spec) {
    SessionId session = found.lsid == null ? null : sessionId(PATH + "lsid", found.lsid);
    Long number = found.txnNumber == null ? null : number(found.txnNumber);
    Integer retries = found.retryCounter == null ? null : retryCounter(found.retryCounter);
    Boolean commits = bool("autocommit", found.autocommit);
    Boolean starts = bool("startTransaction", found.startTransaction);
    Boolean coordinates = bool("coordinator", found.coordinator);
    if (spec.has(Trait.PUBLIC)) {
      requireNone(commits, number);
    }
    require(
        number == null || session != null,
        "Transaction number requires a session ID to also be specified");
    require(number == null || number >= 0, "Transaction number cannot be negative");
    require(
        commits == null || number != null,
        "'autocommit' field requires a transaction number to also be specified");
    requireNoRetries(number == null ? null : retries, commits);
    require(!Boolean.TRUE.equals(commits), "Specifying autocommit=true is not allowed.");
    require(
        starts == null || commits != null,
        "'startTransaction' field requires 'autocommit' field to also be specified");
    require(!Boolean.FALSE.equals(starts), "Specifying startTransaction=false is not allowed.");
    return new SessionFields(
        session, number, commits != null, starts != null, Boolean.TRUE.equals(coordinates));
  }

  /** What asks for no login knows no sessions. */
  private static void requireNone(@Nullable Boolean commits, @Nullable Long number) {
    if (commits != null) {
      throw new CommandException(
          ErrorCode.OPERATION_NOT_SUPPORTED_IN_TRANSACTION,
          "This command is not supported in transactions");
    }
    if (number != null) {
      throw new CommandException(
          ErrorCode.LOCATION_50889, "It is illegal to provide a txnNumber for this command");
    }
  }

  /** Only routers of a sharded cluster count how often they try a transaction. */
  private static void requireNoRetries(@Nullable Integer retries, @Nullable Boolean commits) {
    if (retries != null) {
      require(commits != null, "Cannot specify txnRetryCounter for a retryable write");
      require(retries >= 0, "txnRetryCounter cannot be negative");
      require(false, "txnRetryCounter is only supported in sharded clusters");
    }
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
    RawValue id = EnvelopeFields.given(reader.value("id"));
    UUID uuid = id == null ? null : uuid(path + ".id", id);
    RawValue owner = EnvelopeFields.given(reader.value("uid"));
    if (owner != null) {
      requireDigest(path + ".uid", owner);
    }
    RawValue parent = EnvelopeFields.given(reader.value("txnNumber"));
    if (parent != null && parent.type() != RawTypes.INT64) {
      throw FieldErrors.wrongType(path + ".txnNumber", parent.type(), "long");
    }
    RawValue inner = EnvelopeFields.given(reader.value("txnUUID"));
    if (inner != null) {
      uuid(path + ".txnUUID", inner);
    }
    reader.finish();
    if (uuid == null) {
      throw FieldErrors.missing(path + ".id");
    }
    require(
        parent == null || inner != null,
        "Cannot specify txnNumber in lsid without specifying txnUUID");
    require(inner == null, "Internal sessions are not supported outside of transactions");
    return new SessionId(uuid, "");
  }

  /** Whose a session is follows from the login; what the client says of it only has a form. */
  private static void requireDigest(String path, RawValue value) {
    requireSubtype(path, value, DIGEST_SUBTYPE);
    if (length(value) != DIGEST_BYTES) {
      throw new CommandException(
          ErrorCode.UNSUPPORTED_FORMAT, "Unsupported SHA256Block hash length: " + length(value));
    }
  }

  private static void requireSubtype(String path, RawValue value, byte expected) {
    if (value.type() != RawTypes.BINARY) {
      throw FieldErrors.wrongType(path, value.type(), "binData");
    }
    byte subtype = subtype(value);
    if (subtype != expected) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "BSON field '%s' is the wrong binData type '%s', expected type '%s'"
              .formatted(path, subtypeName(subtype), subtypeName(expected)));
    }
  }

  /** As MongoDB calls them. */
  private static String subtypeName(byte subtype) {
    return switch (Byte.toUnsignedInt(subtype)) {
      case 0 -> "general";
      case 1 -> "function";
      case 2 -> "byte(deprecated)";
      case 3 -> "UUID(deprecated)";
      case 4 -> "UUID";
      case 5 -> "MD5";
      case 6 -> "encrypt";
      case 7 -> "column";
      case 8 -> "sensitive";
      case 0x80 -> "Custom";
      default -> "invalid";
    };
  }

  private static byte subtype(RawValue value) {
    return value.bytes()[value.offset() + 4];
  }

  private static int length(RawValue value) {
    return LittleEndian.int32(value.bytes(), value.offset());
  }

  /** That of a command; almost always it is what every driver sends. */
  private static SessionId sessionId(String path, RawValue lsid) {
    if (!lsid.isDocument()) {
      throw FieldErrors.wrongType(path, lsid.type(), "object");
    }
    RawElements only = lsid.asDocument().elements();
    if (only.next() && only.nameEquals(ID) && isUuid(only.value())) {
      UUID uuid = uuid(only.value());
      if (!only.next()) {
        return new SessionId(uuid, "");
      }
    }
    return sessionId(path, lsid.asDocument());
  }

  private static boolean isUuid(RawValue value) {
    return value.type() == RawTypes.BINARY
        && subtype(value) == UUID_SUBTYPE
        && length(value) == UUID_BYTES;
  }

  private static UUID uuid(String path, RawValue value) {
    requireSubtype(path, value, UUID_SUBTYPE);
    if (length(value) != UUID_BYTES) {
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
    return value.asInt64();
  }

  private static int retryCounter(RawValue value) {
    if (value.type() != RawTypes.INT32) {
      throw FieldErrors.wrongType(PATH + "txnRetryCounter", value.type(), "int");
    }
    return value.asInt32();
  }

  private static @Nullable Boolean bool(String name, @Nullable RawValue value) {
    if (value == null) {
      return null;
    }
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
