package dev.orrery.language.error;

import java.util.Objects;
import org.bson.BsonDocument;

/** What a user did wrong, or asked for in vain: code and words go to the client as they are. */
public final class CommandException extends RuntimeException {
  /** Room for some values that {@link BsonText} has cut; names and texts of users are long too. */
  private static final int MESSAGE_MAX = 4 * BsonText.TEXT_MAX;

  private final ErrorCode code;
  private final BsonDocument details;

  public CommandException(ErrorCode code, String message) {
    this(code, message, new BsonDocument());
  }

  /** {@code details} are further fields of the error reply, such as keyPattern and keyValue. */
  public CommandException(ErrorCode code, String message, BsonDocument details) {
    // A user's error is an answer, not a fault of ours: no stack trace, they are thrown often.
    super(cut(message), null, false, false);
    this.code = Objects.requireNonNull(code);
    this.details = details;
  }

  /** A message as long as it may be. */
  public static String cut(String message) {
    return message.length() > MESSAGE_MAX ? message.substring(0, MESSAGE_MAX) + "..." : message;
  }

  public ErrorCode code() {
    return code;
  }

  public BsonDocument details() {
    return details;
  }
}
