package dev.orrery.server.update;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.value.BsonOrder;
import org.bson.BsonValue;

/** What an operator is given for one field: {@code {$inc: {path: value}}}. */
record Argument(String path, BsonValue value, BsonOrder order) {
  String typeName() {
    return BsonText.typeName(value);
  }

  /** The argument as messages show it: {@code {a: "x"}}. */
  String text() {
    return BsonText.bracedElement(path, value);
  }

  static CommandException badValue(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }
}
