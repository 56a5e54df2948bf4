package dev.orrery.server.command;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * When a write counts as done. There is one copy of the data, so {@code w} asks for nothing more;
 * an acknowledged write is on disk unless {@code j} is false.
 *
 * @param w a number of servers, the name of a mode, or numbers of servers by tag
 * @param journal whether {@code j} was given, and how; null when it was not
 * @param isGiven whether the client said anything of it
 */
public record WriteConcern(BsonValue w, Boolean journal, long timeoutMillis, boolean isGiven) {
  static final WriteConcern DEFAULT = new WriteConcern(new BsonString("majority"), null, 0, false);
  private static final BsonInt32 NOBODY = new BsonInt32(0);
  private static final int SERVERS_MAX = 50;
  private static final List<String> PROVENANCES =
      List.of(
          "clientSupplied",
          "customDefault",
          "getLastErrorDefaults",
          "implicitDefault",
          "internalWriteDefault");

  public static WriteConcern parse(RawValue value) {
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "\"writeConcern\" had the wrong type. Expected object, found "
              + BsonTypeNames.of(value.type()));
    }
    if (!value.asDocument().elements().next()) {
      return DEFAULT;
    }
    var reader = CommandReader.of("WriteConcernOptions", value.asDocument());
    BsonValue w = parseServers(reader.value("w"));
    Boolean journal = reader.has("j") ? reader.safeBool("j", false) : null;
    boolean isSynchronous = reader.safeBool("fsync", false);
    long timeoutMillis = parseTimeout(reader.value("wtimeout"));
    reader.oneOf("provenance", PROVENANCES, "clientSupplied");
    reader.ignore("getLastError", "wElectionId", "wOpTime");
    reader.finish();
    if (isSynchronous && Boolean.TRUE.equals(journal)) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "fsync and j options cannot be used together");
    }
    return new WriteConcern(w, journal, timeoutMillis, true);
  }

  private static BsonValue parseServers(RawValue w) {
    if (w == null || w.type() == RawTypes.NULL || w.type() == RawTypes.UNDEFINED) {
      return new BsonInt32(1);
    }
    if (w.isNumber()) {
      return new BsonInt32(servers(w));
    }
    if (w.isDocument()) {
      return tags(w.asDocument());
    }
    if (w.type() != RawTypes.STRING) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "w has to be a number, string, or object; found: " + BsonTypeNames.of(w.type()));
    }
    return w.toBsonValue();
  }

  private static int servers(RawValue w) {
    if (RawNumbers.isNaN(w)) {
      throw new CommandException(ErrorCode.FAILED_TO_PARSE, "w cannot be NaN");
    }
    long servers = RawNumbers.toLong(w);
    if (servers < 0 || servers > SERVERS_MAX) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "w has to be a non-negative number and not greater than %d; found: %d"
              .formatted(SERVERS_MAX, servers));
    }
    return (int) servers;
  }

  private static BsonDocument tags(RawDocument document) {
    var tags = new BsonDocument();
    RawElements elements = document.elements();
    while (elements.next()) {
      RawValue servers = elements.value();
      if (!servers.isNumber()) {
        throw new CommandException(
            ErrorCode.FAILED_TO_PARSE,
            "tags must be a single level document with only number values; found: "
                + BsonText.element(elements.name(), servers.toBsonValue()));
      }
      tags.append(elements.name(), new BsonInt64(RawNumbers.toLong(servers)));
    }
    if (tags.isEmpty()) {
      throw new CommandException(ErrorCode.FAILED_TO_PARSE, "tagged write concern requires tags");
    }
    return tags;
  }

  /** A number; MongoDB takes anything else for none. */
  private static long parseTimeout(RawValue value) {
    long millis = value == null || !value.isNumber() ? 0 : RawNumbers.toLong(value);
    if (millis > Integer.MAX_VALUE) {
      throw new CommandException(ErrorCode.FAILED_TO_PARSE, "wtimeout must be a 32-bit integer");
    }
    return millis;
  }

  /** Refuses it on a command that writes nothing. */
  void requireAllowed(Command.Spec spec) {
    if (!spec.has(Trait.WRITE_CONCERN)) {
      requireNone();
    }
  }

  /** Refuses it on a call that writes nothing. */
  public void requireNone() {
    if (isGiven) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS, "Command does not support writeConcern");
    }
  }

  /** Whether the reply must wait until the write is on disk. */
  public boolean waitsForDisk() {
    boolean isAcknowledged = !w.equals(NOBODY) || Boolean.TRUE.equals(journal);
    return isAcknowledged && !Boolean.FALSE.equals(journal);
  }

  /** The {@code writeConcernError} of a write that one server cannot satisfy, or null. */
  public BsonDocument error() {
    if (w.isInt32() && w.asInt32().getValue() > 1) {
      return error(ErrorCode.UNSATISFIABLE_WRITE_CONCERN, "Not enough data-bearing nodes");
    }
    if (w.isString() && !w.asString().getValue().equals("majority")) {
      return error(
          ErrorCode.UNKNOWN_REPL_WRITE_CONCERN,
          "No write concern mode named '%s' found in replica set configuration"
              .formatted(w.asString().getValue()));
    }
    if (w.isDocument()) {
      return error(
          ErrorCode.NO_SUCH_KEY,
          "No replica set tag key " + w.asDocument().getFirstKey() + " in config");
    }
    return null;
  }

  private BsonDocument error(ErrorCode code, String message) {
    return new BsonDocument("code", new BsonInt32(code.number()))
        .append("codeName", new BsonString(code.codeName()))
        .append("errmsg", new BsonString(message))
        .append("errInfo", new BsonDocument("writeConcern", toDocument()));
  }

  private BsonDocument toDocument() {
    var document = new BsonDocument("w", w);
    if (journal != null) {
      document.append("j", BsonBoolean.valueOf(journal));
    }
    return document
        .append("wtimeout", new BsonInt32((int) timeoutMillis))
        .append("provenance", new BsonString("clientSupplied"));
  }
}
