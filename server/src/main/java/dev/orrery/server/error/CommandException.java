package dev.orrery.server.error;

import java.util.Objects;
import org.bson.BsonDocument;

/** What a user did wrong, or asked for in vain: code and words go to the client as they are. */
public final class CommandException extends RuntimeException {
  private final ErrorCode code;
  private final BsonDocument details;

  public CommandException(ErrorCode code, String message) {
    this(code, message, new BsonDocument());
  }

  /** {@code details} are further fields of the error reply, such as keyPattern and keyValue. */
  public CommandException(ErrorCode code, String message, BsonDocument details) {
    // A user's error is an answer, not a fault of ours: no stack trace, they are thrown often.
    super(message, null, false, false);
    this.code = Objects.requireNonNull(code);
    this.details = details;
  }

  public ErrorCode code() {
    return code;
  }

  public BsonDocument details() {
    return details;
  }
}
