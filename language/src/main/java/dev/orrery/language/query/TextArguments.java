package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import org.bson.BsonType;

/** The argument of {@code $text}: what it may hold is checked, though there is no text search. */
final class TextArguments {
  private TextArguments() {}

  static void check(RawDocument argument) {
    if (argument.field("$search") == null) {
      throw new CommandException(ErrorCode.NO_SUCH_KEY, "Missing expected field \"$search\"");
    }
    int known = 0;
    known += count(argument, "$search", BsonType.STRING);
    known += count(argument, "$language", BsonType.STRING);
    known += count(argument, "$caseSensitive", BsonType.BOOLEAN);
    known += count(argument, "$diacriticSensitive", BsonType.BOOLEAN);
    if (known != argument.toBsonDocument().size()) {
      throw FilterParser.badValue("extra fields in $text");
    }
  }

  private static int count(RawDocument argument, String name, BsonType type) {
    var value = argument.field(name);
    if (value == null) {
      return 0;
    }
    if (value.type() != RawTypes.of(type)) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "\"%s\" had the wrong type. Expected %s, found %s"
              .formatted(name, BsonText.typeName(type), BsonText.typeName(value.toBsonValue())));
    }
    return 1;
  }
}
