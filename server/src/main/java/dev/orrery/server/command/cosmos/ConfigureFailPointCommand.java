package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FailPoint;
import dev.orrery.server.command.FailedCommands;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code configureFailPoint}: lets commands fail as MongoDB's fail point {@code failCommand} does.
 * Only on servers with {@code --test-commands}.
 */
final class ConfigureFailPointCommand implements Command {
  private static final String NAME = "failCommand";
  private static final BsonDocument NO_OPTIONS = new BsonDocument();
  private static final BsonArray NONE = new BsonArray();

  private final FailedCommands commands;

  ConfigureFailPointCommand(FailedCommands commands) {
    this.commands = commands;
  }

  @Override
  public Spec spec() {
    return Spec.of("configureFailPoint", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.requireString("configureFailPoint");
    BsonValue mode = body.bsonValue("mode");
    BsonValue data = body.bsonValue("data");
    body.ignoreRest();
    body.finish();
    if (!name.equals(NAME)) {
      throw new CommandException(ErrorCode.FAIL_POINT_SET_FAILED, name + " not found");
    }
    if (data != null && !data.isDocument() && !data.isArray()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH, "the 'data' option must be a JSON object");
    }
    FailPoint.Mode parsed = mode(mode);
    BsonDocument options = data != null && data.isDocument() ? data.asDocument() : NO_OPTIONS;
    int struck =
        commands.set(
            parsed == null ? null : new FailPoint(parsed, target(options), effect(options)));
    return new BsonDocument("count", new BsonInt32(struck));
  }

  /** Null for off. */
  private static FailPoint.@Nullable Mode mode(@Nullable BsonValue mode) {
    if (mode == null) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "When setting a failpoint, you must supply a 'mode'");
    }
    if (mode.isDocument()) {
      return mode(mode.asDocument());
    }
    if (!mode.isString()) {
      throw new CommandException(ErrorCode.TYPE_MISMATCH, "'mode' must be a string or JSON object");
    }
    return switch (mode.asString().getValue()) {
      case "off" -> null;
      case "alwaysOn" -> new FailPoint.Mode(FailPoint.When.ALWAYS, 0, 0);
      default -> throw bad("unknown mode: " + mode.asString().getValue());
    };
  }

  private static FailPoint.Mode mode(BsonDocument mode) {
    if (mode.containsKey("times")) {
      return new FailPoint.Mode(FailPoint.When.TIMES, count(mode, "times"), 0);
    }
    if (mode.containsKey("skip")) {
      return new FailPoint.Mode(FailPoint.When.SKIP, count(mode, "skip"), 0);
    }
    if (!mode.containsKey("activationProbability")) {
      throw bad(
          "'mode' must be one of 'off', 'alwaysOn', '{times:n}', '{skip:n}' or"
              + " '{activationProbability:p}'");
    }
    if (!mode.get("activationProbability").isNumber()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "the 'activationProbability' option to 'mode' must be a double between 0 and 1");
    }
    double chance = mode.getNumber("activationProbability").doubleValue();
    if (!(chance >= 0 && chance <= 1)) {
      throw bad("activationProbability must be between 0.0 and 1.0; found " + chance);
    }
    return new FailPoint.Mode(FailPoint.When.CHANCE, 0, chance);
  }

  private static long count(BsonDocument mode, String name) {
    long count = integer(mode, name);
    if (count < 0) {
      throw bad("'%s' option to 'mode' must be positive".formatted(name));
    }
    if (count > Integer.MAX_VALUE) {
      throw bad("'%s' option to 'mode' is too large".formatted(name));
    }
    return count;
  }

  private static long integer(BsonDocument from, String name) {
    if (!from.isNumber(name)) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH, "Expected field \"%s\" to have numeric type".formatted(name));
    }
    return from.getNumber(name).longValue();
  }

  private static FailPoint.Target target(BsonDocument data) {
    Set<String> names = null;
    if (!data.containsKey("failAllCommands")) {
      names = new HashSet<>();
      for (BsonValue name : data.isArray("failCommands") ? data.getArray("failCommands") : NONE) {
        if (name.isString()) {
          names.add(name.asString().getValue().toLowerCase(Locale.ROOT));
        }
      }
    }
    return new FailPoint.Target(names, text(data, "appName"), text(data, "namespace"));
  }

  private static @Nullable String text(BsonDocument data, String name) {
    BsonValue value = data.get(name);
    if (value == null) {
      return null;
    }
    return value.isString() ? value.asString().getValue() : ""; // as MongoDB reads it
  }

  private static FailPoint.Effect effect(BsonDocument data) {
    boolean blocks = isTrue(data, "blockConnection");
    if (blocks && !data.isNumber("blockTimeMS")) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS, "must specify 'blockTimeMS' when 'blockConnection' is true");
    }
    long millis = blocks ? integer(data, "blockTimeMS") : -1;
    if (blocks && millis < 0) {
      throw new CommandException(ErrorCode.INVALID_OPTIONS, "'blockTimeMS' must be non-negative");
    }
    BsonValue unsure = data.get("writeConcernError");
    return new FailPoint.Effect(
        millis,
        isTrue(data, "closeConnection"),
        data.isNumber("errorCode") ? data.getNumber("errorCode").intValue() : 0,
        data.isArray("errorLabels") ? data.getArray("errorLabels") : null,
        data.isDocument("errorExtraInfo") ? data.getDocument("errorExtraInfo") : NO_OPTIONS,
        unsure == null || !unsure.isDocument() ? null : unsure.asDocument());
  }

  private static boolean isTrue(BsonDocument data, String name) {
    return data.getOrDefault(name, BsonBoolean.FALSE).equals(BsonBoolean.TRUE);
  }

  private static CommandException bad(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }
}
