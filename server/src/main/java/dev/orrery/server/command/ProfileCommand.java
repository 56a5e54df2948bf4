package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.StorageEngine;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** {@code profile}: the level of a database, and from when on an operation is slow. */
final class ProfileCommand implements Command {
  private static final String KIND = "profile";
  private static final String EVERYWHERE = "*"; // no database has this name
  private static final int SLOW_MILLIS = 100;

  private final StorageEngine engine;

  ProfileCommand(StorageEngine engine) {
    this.engine = engine;
  }

  @Override
  public Spec spec() {
    return Spec.of("profile", Access.ADMIN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    long level = body.int64("profile", -1);
    Long slowMillis = body.has("slowms") ? body.int64("slowms", 0) : null;
    Double sampleRate = sampleRate(body);
    body.reject("filter");
    body.finish();
    if (sampleRate != null && !(sampleRate >= 0 && sampleRate <= 1)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "'sampleRate' must be between 0.0 and 1.0 inclusive");
    }
    BsonDocument present = setting(context.database());
    BsonDocument everywhere = setting(EVERYWHERE);
    if (level >= 0 && level <= 2) {
      store(context, setting(context.database()).append("level", new BsonInt32((int) level)));
    }
    if (slowMillis != null || sampleRate != null) {
      BsonDocument changed = setting(EVERYWHERE);
      if (slowMillis != null) {
        changed.append("slowms", Sizes.number(slowMillis));
      }
      if (sampleRate != null) {
        changed.append("sampleRate", new BsonDouble(sampleRate));
      }
      store(context, changed);
    }
    return new BsonDocument("was", present.getOrDefault("level", new BsonInt32(0)))
        .append("slowms", everywhere.getOrDefault("slowms", new BsonInt32(SLOW_MILLIS)))
        .append("sampleRate", everywhere.getOrDefault("sampleRate", new BsonDouble(1)));
  }

  private static Double sampleRate(CommandReader body) {
    body.int64("sampleRate", 0); // refuses what is no number
    BsonValue value = body.bsonValue("sampleRate");
    if (value == null || value.isNull()) {
      return null;
    }
    return value.isNumber()
        ? value.asNumber().doubleValue()
        : value.asDecimal128().getValue().doubleValue();
  }

  private BsonDocument setting(String id) {
    var found = new BsonDocument("_id", new BsonString(id));
    for (BsonDocument stored : engine.settings(KIND)) {
      if (stored.getString("_id").getValue().equals(id)) {
        found.putAll(stored);
      }
    }
    return found;
  }

  private void store(CommandContext context, BsonDocument setting) {
    context.awaitDurable(engine.putSetting(KIND, setting));
  }
}
