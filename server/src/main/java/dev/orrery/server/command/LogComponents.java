package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/**
 * The parameter {@code logComponentVerbosity}: how much each part of a server writes to its log; -1
 * for as much as the part it belongs to.
 */
public final class LogComponents {
  public static final String PARAMETER = "logComponentVerbosity";
  private static final String VERBOSITY = "verbosity";
  private static final int VERBOSITY_MAX = 5;

  private static final List<String> PLAIN =
      List.of("accessControl", "command", "control", "executor", "ftdc", "geo", "index", "network");
  private static final Map<String, List<String>> NESTED =
      Map.of(
          "replication", List.of("election", "heartbeats", "initialSync", "rollback"),
          "storage", List.of("recovery", "journal"));
  private static final List<String> LAST = List.of("query", "sharding", "transaction", "write");

  private LogComponents() {}

  /** Nothing more than usual is written. */
  static BsonDocument initial() {
    var document = new BsonDocument(VERBOSITY, new BsonInt32(0));
    PLAIN.forEach(name -> document.append(name, inheriting()));
    NESTED.forEach((name, parts) -> document.append(name, inheriting()));
    NESTED.forEach(
        (name, parts) ->
            parts.forEach(part -> document.getDocument(name).append(part, inheriting())));
    LAST.forEach(name -> document.append(name, inheriting()));
    return document;
  }

  private static BsonDocument inheriting() {
    return new BsonDocument(VERBOSITY, new BsonInt32(-1));
  }

  /** What becomes of the present setting by a change that names some components. */
  static BsonDocument changed(BsonDocument present, BsonValue change) {
    BsonDocument copy = present.clone();
    apply(copy, change, PARAMETER);
    return copy;
  }

  private static void apply(BsonDocument target, BsonValue change, String path) {
    if (!change.isDocument()) {
      throw bad(path + " must be an object");
    }
    change
        .asDocument()
        .forEach(
            (name, value) -> {
              if (name.equals(VERBOSITY)) {
                target.put(VERBOSITY, new BsonInt32(verbosity(path, value)));
              } else if (target.isDocument(name)) {
                apply(target.getDocument(name), value, path + "." + name);
              } else {
                throw bad("Invalid component name '" + name + "' in " + path);
              }
            });
  }

  private static int verbosity(String path, BsonValue value) {
    int level = value.isNumber() ? value.asNumber().intValue() : VERBOSITY_MAX + 1;
    if (level < -1 || level > VERBOSITY_MAX) {
      throw bad(path + ".verbosity must be a number from -1 to " + VERBOSITY_MAX);
    }
    return level;
  }

  /** The verbosity of a component, by itself or by the server's; 0 for what is not known. */
  public static int of(BsonDocument setting, String component) {
    int usual = setting.getInt32(VERBOSITY).getValue();
    int own = setting.getDocument(component, inheriting()).getInt32(VERBOSITY).getValue();
    return own < 0 ? usual : own;
  }

  private static CommandException bad(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }
}
