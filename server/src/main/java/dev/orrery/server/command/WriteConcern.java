package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
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
 * @param w a number of servers, or the name of a mode
 * @param journal whether {@code j} was given, and how; null when it was not
 */
public record WriteConcern(BsonValue w, Boolean journal, long timeoutMillis) {
  static final WriteConcern DEFAULT = new WriteConcern(new BsonString("majority"), null, 0);
  private static final BsonInt32 NOBODY = new BsonInt32(0);
  private static final int SERVERS_MAX = 50;

  static WriteConcern parse(RawValue value) {
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "\"writeConcern\" had the wrong type. Expected object, found "
              + BsonTypeNames.of(value.type()));
    }
    var reader = CommandReader.of("WriteConcernOptions", value.asDocument());
    BsonValue w = parseServers(reader.value("w"));
    Boolean journal = reader.has("j") ? reader.safeBool("j", false) : null;
    long timeoutMillis = reader.int64("wtimeout", 0);
    reader.ignore("fsync", "getLastError", "provenance");
    reader.finish();
    return new WriteConcern(w, journal, timeoutMillis);
  }

  private static BsonValue parseServers(RawValue w) {
    if (w == null) {
      return new BsonInt32(1);
    }
    if (w.isNumber()) {
      long servers = RawNumbers.toLong(w);
      if (servers < 0 || servers > SERVERS_MAX) {
        throw new CommandException(
            ErrorCode.FAILED_TO_PARSE,
            "w has to be a non-negative number and not greater than %d; found: %d"
                .formatted(SERVERS_MAX, servers));
      }
      return new BsonInt32((int) servers);
    }
    if (w.type() != RawTypes.STRING && !w.isDocument()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "w has to be a number, string, or object; found: " + BsonTypeNames.of(w.type()));
    }
    return w.toBsonValue();
  }

  /** Whether the reply must wait until the write is on disk. */
  public boolean waitsForDisk() {
    boolean isAcknowledged = !w.equals(NOBODY) || Boolean.TRUE.equals(journal);
    return isAcknowledged && !Boolean.FALSE.equals(journal);
  }

  /** The {@code writeConcernError} of a write that one server cannot satisfy, or null. */
  BsonDocument error() {
    if (w.isInt32() && w.asInt32().getValue() > 1) {
      return error(ErrorCode.UNSATISFIABLE_WRITE_CONCERN, "Not enough data-bearing nodes");
    }
    if (w.isString() && !w.asString().getValue().equals("majority")) {
      return error(
          ErrorCode.UNKNOWN_REPL_WRITE_CONCERN,
          "No write concern mode named '%s' found in replica set configuration"
              .formatted(w.asString().getValue()));
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
    BsonValue timeout =
        timeoutMillis == (int) timeoutMillis
            ? new BsonInt32((int) timeoutMillis)
            : new BsonInt64(timeoutMillis);
    return document
        .append("wtimeout", timeout)
        .append("provenance", new BsonString("clientSupplied"));
  }
}
