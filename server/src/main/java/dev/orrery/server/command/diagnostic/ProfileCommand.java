package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.data.ProfileCollections;
import dev.orrery.server.operation.ProfileSettings;
import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * {@code profile}: the level of a database, and which operations are slow in all of them. What was
 * set is answered as it was before.
 */
final class ProfileCommand implements Command {
  private static final String FILTER_NOTE =
      "When a filter expression is set, slowms and sampleRate are not used for profiling and"
          + " slow-query log lines.";

  private final ProfileSettings settings;
  private final ProfileCollections collections;

  ProfileCommand(ProfileSettings settings, ProfileCollections collections) {
    this.settings = settings;
    this.collections = collections;
  }

  @Override
  public Spec spec() {
    return Spec.of("profile", Access.ADMIN, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    long level = body.int64("profile", -1);
    Long slowMillis = body.has("slowms") ? body.int64("slowms", 0) : null;
    Double sampleRate = sampleRate(body);
    BsonValue filter = body.bsonValue("filter");
    body.finish();
    if (sampleRate != null && !(sampleRate >= 0 && sampleRate <= 1)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "'sampleRate' must be between 0.0 and 1.0 inclusive");
    }
    String database = context.database();
    ProfileSettings.Database was = settings.database(database);
    ProfileSettings.Database changed = changed(was, level, filter);
    BsonDocument reply = reply(was);
    if (changed.level() > 0 && changed.level() != was.level()) {
      collections.open(database);
    }
    if (!changed.equals(was)) {
      settings.set(database, changed);
    }
    if (slowMillis != null) {
      settings.slowAfter(slowMillis);
    }
    if (sampleRate != null) {
      settings.sample(sampleRate);
    }
    return reply;
  }

  private static ProfileSettings.Database changed(
      ProfileSettings.Database was, long level, BsonValue filter) {
    int newLevel = level >= 0 && level <= 2 ? (int) level : was.level();
    if (filter == null) {
      return new ProfileSettings.Database(newLevel, was.filter(), was.filterDocument());
    }
    if (filter.isDocument()) {
      BsonDocument document = filter.asDocument();
      return new ProfileSettings.Database(
          newLevel, FilterParser.parse(RawDocument.of(document)), document);
    }
    if (filter.isString() && filter.asString().getValue().equals("unset")) {
      return new ProfileSettings.Database(newLevel, null, null);
    }
    throw new CommandException(ErrorCode.BAD_VALUE, "Expected an object, or the string 'unset'.");
  }

  private BsonDocument reply(ProfileSettings.Database was) {
    var reply =
        new BsonDocument("was", new BsonInt32(was.level()))
            .append("slowms", Numbers.intOrLong(settings.slowMillis()))
            .append("sampleRate", new BsonDouble(settings.sampleRate()));
    return was.filterDocument() == null
        ? reply
        : reply.append("filter", was.filterDocument()).append("note", new BsonString(FILTER_NOTE));
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
}
