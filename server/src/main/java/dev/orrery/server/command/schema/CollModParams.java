package dev.orrery.server.command.schema;

import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * What {@code collMod} may carry, each of the right type.
 *
 * @param given the fields that were there, in the order in which MongoDB looks at them
 * @param index null when no index is to be changed
 */
record CollModParams(
    String collection,
    BsonDocument given,
    @Nullable RawValue expireAfterSeconds,
    @Nullable Index index,
    boolean isDryRun) {
  private static final List<String> LEVELS = List.of("off", "strict", "moderate");
  private static final List<String> ACTIONS = List.of("error", "warn");

  /** Which index, and what shall become of it; null is what stays as it is. */
  record Index(
      @Nullable String name,
      @Nullable BsonDocument keyPattern,
      @Nullable Long expireAfterSeconds,
      @Nullable Boolean hidden,
      @Nullable Boolean unique,
      @Nullable Boolean prepareUnique,
      @Nullable Boolean forceNonUnique) {
    static @Nullable Index parse(@Nullable CommandReader body) {
      if (body == null) {
        return null;
      }
      RawDocument key = body.rawDocument("keyPattern");
      var index =
          new Index(
              body.string("name"),
              key == null ? null : key.toBsonDocument(),
              body.has("expireAfterSeconds") ? body.int64("expireAfterSeconds", 0) : null,
              bool(body, "hidden"),
              bool(body, "unique"),
              bool(body, "prepareUnique"),
              bool(body, "forceNonUnique"));
      body.finish();
      return index;
    }

    private static @Nullable Boolean bool(CommandReader body, String name) {
      return body.has(name) ? body.safeBool(name, false) : null;
    }
  }

  static CollModParams parse(CommandReader body) {
    String collection = body.collection();
    var given = new BsonDocument();
    CreateParams.cappedSize(body, given, "cappedSize");
    CreateParams.cappedMax(body, given, "cappedMax");
    Index index = Index.parse(body.object("index"));
    RawDocument validator = body.rawDocument("validator");
    if (validator != null) {
      given.append("validator", validator.toBsonDocument());
    }
    text(given, "validationLevel", body.oneOf("validationLevel", LEVELS, null));
    text(given, "validationAction", body.oneOf("validationAction", ACTIONS, null));
    CreateParams.pipeline(body, given);
    text(given, "viewOn", body.string("viewOn"));
    CreateParams.preImages(body, given);
    RawValue expiry = expiry(body);
    RawDocument timeseries = body.rawDocument("timeseries");
    if (timeseries != null) {
      given.append("timeseries", timeseries.toBsonDocument());
    }
    boolean isDryRun = body.safeBool("dryRun", false);
    body.ignore("recordPreImages", "collectionUUID");
    body.finish();
    return new CollModParams(collection, given, expiry, index, isDryRun);
  }

  /** A number of seconds or a text, or null when it is missing. */
  private static @Nullable RawValue expiry(CommandReader body) {
    RawValue value = body.value("expireAfterSeconds");
    if (value == null || value.type() == RawTypes.NULL || value.type() == RawTypes.UNDEFINED) {
      return null;
    }
    if (value.type() != RawTypes.STRING && !value.isNumber()) {
      throw FieldErrors.wrongType(
          body.pathOf("expireAfterSeconds"), value.type(), FieldErrors.STRING_OR_NUMBERS);
    }
    return value;
  }

  private static void text(BsonDocument given, String name, @Nullable String value) {
    if (value != null) {
      given.append(name, new BsonString(value));
    }
  }
}
