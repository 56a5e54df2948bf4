package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;

/** The fields that every reply has. */
final class Replies {
  private static final BsonDouble OK = new BsonDouble(1);
  private static final BsonDouble NOT_OK = new BsonDouble(0);
  // A server without keys signs with nothing, as MongoDB does without authentication.
  private static final BsonDocument NO_SIGNATURE =
      new BsonDocument("hash", new BsonBinary(new byte[20])).append("keyId", new BsonInt64(0));

  /** What MongoDB has before all else in the answer to what failed. */
  private static final List<String> FIRST = List.of("errorLabels", "topologyVersion");

  private Replies() {}

  static void writeOk(BsonEncoder reply) {
    reply.writeElement("ok", OK);
  }

  /** The same fields; what is in them may be large, and is not copied. */
  static BsonDocument copy(BsonDocument reply) {
    var copy = new BsonDocument();
    copy.putAll(reply);
    return copy;
  }

  static BsonDocument succeed(BsonDocument reply) {
    return reply.containsKey("ok") ? reply : reply.append("ok", OK);
  }

  static BsonDocument fail(CommandException error) {
    return fail(error.code(), error.getMessage(), error.details());
  }

  static BsonDocument fail(ErrorCode code, String message, BsonDocument details) {
    var reply = new BsonDocument();
    for (String first : FIRST) {
      if (details.containsKey(first)) {
        reply.append(first, details.get(first));
      }
    }
    reply
        .append("ok", NOT_OK)
        .append("errmsg", new BsonString(CommandException.cut(message)))
        .append("code", new BsonInt32(code.number()))
        .append("codeName", new BsonString(code.codeName()));
    reply.putAll(details);
    return reply;
  }

  /** The value of {@code $clusterTime}, encoded: many replies carry the same. */
  static BsonDocument clusterTime(BsonTimestamp now) {
    var document = new BsonDocument("clusterTime", now).append("signature", NO_SIGNATURE);
    return RawDocument.of(document).asRawBson();
  }
}
