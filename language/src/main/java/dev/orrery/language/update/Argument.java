package dev.orrery.language.update;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import org.bson.BsonValue;

/**
 * What an operator is given for one field: {@code {$inc: {path: value}}}.
 *
 * @param raw the bytes of the value, in which a name may come twice
 */
record Argument(String path, RawValue raw, BsonValue value, BsonOrder order) {
  /** The fields of a value that is a document, all of them. */
  RawElements fields() {
    return raw.asDocument().elements();
  }

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
