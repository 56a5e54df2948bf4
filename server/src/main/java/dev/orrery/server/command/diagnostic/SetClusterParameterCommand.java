package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.stream.ImageExpiry;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/** {@code setClusterParameter}: of its parameters there is {@code changeStreamOptions}. */
final class SetClusterParameterCommand implements Command {
  private static final String NAME = "setClusterParameter";
  static final String TIME = "clusterParameterTime";

  /** What can be counted in milliseconds. */
  private static final long SECONDS_MAX = Long.MAX_VALUE / 1000;

  private final Databases databases;

  SetClusterParameterCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of(NAME, Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    BsonValue value = body.bsonValue(NAME);
    body.finish();
    BsonDocument given = requireDocument(new BsonDocument(NAME, value), NAME);
    if (given.size() != 1) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS,
          "setClusterParameter only supports setting exactly one parameter");
    }
    if (!given.getFirstKey().equals(ImageExpiry.PARAMETER)) {
      throw unknown(given.getFirstKey());
    }
    BsonValue seconds = seconds(requireDocument(given, ImageExpiry.PARAMETER));
    var time = new BsonTimestamp(databases.engine().changes().newest());
    var setting =
        new BsonDocument(TIME, time)
            .append(ImageExpiry.IMAGES, new BsonDocument(ImageExpiry.SECONDS, seconds));
    context.awaitDurable(databases.images().change(setting));
    return new BsonDocument();
  }

  static CommandException unknown(String name) {
    return new CommandException(ErrorCode.NO_SUCH_KEY, "Unknown cluster parameter: " + name);
  }

  private static BsonValue seconds(BsonDocument options) {
    requireOnly(options, ImageExpiry.PARAMETER, ImageExpiry.IMAGES);
    if (!options.containsKey(ImageExpiry.IMAGES)) {
      return ImageExpiry.OFF;
    }
    BsonDocument images = requireDocument(options, ImageExpiry.IMAGES);
    requireOnly(images, ImageExpiry.IMAGES, ImageExpiry.SECONDS);
    BsonValue seconds = images.get(ImageExpiry.SECONDS, ImageExpiry.OFF);
    if (seconds.equals(ImageExpiry.OFF)) {
      return seconds;
    }
    boolean isWhole = seconds.isInt32() || seconds.isInt64();
    long value = isWhole ? seconds.asNumber().longValue() : 0;
    if (value <= 0 || value > SECONDS_MAX) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "expireAfterSeconds must be a positive whole number, or 'off'");
    }
    return new BsonInt64(value);
  }

  private static BsonDocument requireDocument(BsonDocument given, String field) {
    if (!given.isDocument(field)) {
      throw new CommandException(ErrorCode.TYPE_MISMATCH, "'" + field + "' must be an object");
    }
    return given.getDocument(field);
  }

  private static void requireOnly(BsonDocument given, String path, String field) {
    for (String name : given.keySet()) {
      if (!name.equals(field)) {
        throw new CommandException(
            ErrorCode.LOCATION_40415,
            "BSON field '" + path + "." + name + "' is an unknown field.");
      }
    }
  }
}
