package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandReader;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The field {@code hint} of many commands: an index by name or by key pattern. */
final class Hints {
  private Hints() {}

  /** The hint of a command or statement, or null when it has none or an empty one. */
  static @Nullable BsonValue parse(CommandReader body) {
    RawValue value = body.value("hint");
    if (value == null) {
      return null;
    }
    if (value.type() != RawTypes.STRING && !value.isDocument()) {
      throw new CommandException(ErrorCode.FAILED_TO_PARSE, "Hint must be a string or an object");
    }
    boolean isEmpty = value.isDocument() && value.asDocument().isEmpty();
    return isEmpty ? null : value.toBsonValue();
  }
}
