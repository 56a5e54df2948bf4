package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.query.Collation;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** The {@code collation} of a command that MongoDB parses field by field, with defaults. */
final class CollationOption {
  private static final Map<String, BsonValue> DEFAULTS = defaults();

  private CollationOption() {}

  private static Map<String, BsonValue> defaults() {
    var defaults = new LinkedHashMap<String, BsonValue>(); // in the order of MongoDB's messages
    defaults.put("caseLevel", BsonBoolean.FALSE);
    defaults.put("caseFirst", new BsonString("off"));
    defaults.put("strength", new BsonInt32(3));
    defaults.put("numericOrdering", BsonBoolean.FALSE);
    defaults.put("alternate", new BsonString("non-ignorable"));
    defaults.put("maxVariable", new BsonString("punct"));
    defaults.put("normalization", BsonBoolean.FALSE);
    return defaults;
  }

  /** Reads the field of a command; a missing one is the simple collation. */
  static Collation read(CommandReader body) {
    var raw = body.rawDocument("collation");
    if (raw == null) {
      return Collation.SIMPLE;
    }
    BsonDocument given = raw.toBsonDocument();
    if (!given.containsKey("locale")) {
      throw FieldErrors.missing(body.pathOf("collation.locale"));
    }
    try {
      boolean isSimple = given.get("locale").equals(new BsonString("simple"));
      return Collation.parse(isSimple ? given : complete(given));
    } catch (CommandException e) {
      // The same words as for any collation, with the command's name before the field's.
      String message = e.getMessage().replace("'collation.", "'" + body.pathOf("collation."));
      throw new CommandException(e.code(), message, e.details());
    }
  }

  /** With what is usual where nothing is said. */
  static BsonDocument complete(BsonDocument given) {
    var complete = new BsonDocument("locale", given.get("locale"));
    DEFAULTS.forEach((name, value) -> complete.append(name, given.getOrDefault(name, value)));
    given.forEach(complete::putIfAbsent);
    return complete;
  }
}
