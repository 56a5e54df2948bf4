package dev.orrery.server.command.schema;

import dev.orrery.language.query.Collation;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What {@code create} may carry, each of the right type.
 *
 * @param options what was given, by name, with numbers as longs; without {@code timeseries}
 * @param timeseries completed, or null
 */
record CreateParams(
    String collection,
    BsonDocument options,
    Collation collation,
    @Nullable RawValue clusteredIndex,
    @Nullable BsonDocument timeseries) {
  static final long SIZE_MAX = 1L << 50;
  private static final long DOCUMENTS_LIMIT = 1L << 31;
  private static final List<String> LEVELS = List.of("off", "strict", "moderate");
  private static final List<String> ACTIONS = List.of("error", "warn");

  static CreateParams parse(CommandReader body) {
    String collection = body.collection();
    var options = new BsonDocument();
    bool(body, options, "capped");
    bool(body, options, "autoIndexId");
    bool(body, options, "temp");
    bool(body, options, "recordPreImages");
    cappedSize(body, options, "size");
    cappedMax(body, options, "max");
    number(body, options, "expireAfterSeconds");
    document(body, options, "idIndex");
    document(body, options, "storageEngine");
    indexDefaults(body.object("indexOptionDefaults"), options);
    document(body, options, "validator");
    document(body, options, SyntheticKey.OPTION);
    text(options, "validationLevel", body.oneOf("validationLevel", LEVELS, null));
    text(options, "validationAction", body.oneOf("validationAction", ACTIONS, null));
    text(options, "viewOn", body.string("viewOn"));
    preImages(body, options);
    pipeline(body, options);
    Collation collation = CollationOption.read(body);
    RawValue clusteredIndex = body.value("clusteredIndex");
    BsonDocument timeseries = TimeseriesOption.read(body.object("timeseries"));
    body.ignore("flags");
    body.reject("encryptedFields");
    body.finish();
    return new CreateParams(collection, options, collation, clusteredIndex, timeseries);
  }

  private static void bool(CommandReader body, BsonDocument options, String name) {
    if (body.has(name)) {
      options.append(name, BsonBoolean.valueOf(body.safeBool(name, false)));
    }
  }

  private static void number(CommandReader body, BsonDocument options, String name) {
    if (body.has(name)) {
      options.append(name, new BsonInt64(body.int64(name, 0)));
    }
  }

  /** How many bytes a capped collection may have; the same for collMod. */
  static void cappedSize(CommandReader body, BsonDocument options, String name) {
    if (body.has(name)) {
      long size = body.atLeast(name, 1, Long.MIN_VALUE);
      if (size > SIZE_MAX) {
        throw FieldErrors.outOfRange(name, "<= " + SIZE_MAX, size);
      }
      options.append(name, new BsonInt64(size));
    }
  }

  /** How many documents a capped collection may have; 0 and less mean any number. */
  static void cappedMax(CommandReader body, BsonDocument options, String name) {
    if (body.has(name)) {
      long max = body.int64(name, 0);
      if (max >= DOCUMENTS_LIMIT) {
        throw FieldErrors.outOfRange(name, "< " + DOCUMENTS_LIMIT, max);
      }
      options.append(name, new BsonInt64(max));
    }
  }

  private static void document(CommandReader body, BsonDocument options, String name) {
    RawDocument value = body.rawDocument(name);
    if (value != null) {
      options.append(name, value.toBsonDocument());
    }
  }

  private static void indexDefaults(@Nullable CommandReader body, BsonDocument options) {
    if (body != null) {
      var defaults = new BsonDocument();
      document(body, defaults, "storageEngine");
      body.finish();
      options.append("indexOptionDefaults", defaults);
    }
  }

  private static void text(BsonDocument options, String name, @Nullable String value) {
    if (value != null) {
      options.append(name, new BsonString(value));
    }
  }

  /** The same for collMod: {@code {enabled: true}} or, when off, nothing. */
  static void preImages(CommandReader body, BsonDocument options) {
    CommandReader images = body.object("changeStreamPreAndPostImages");
    if (images == null) {
      return;
    }
    boolean isEnabled = images.safeBool("enabled", false);
    if (!images.has("enabled")) {
      images.requireString("enabled"); // says that it is missing
    }
    images.finish();
    options.append(
        "changeStreamPreAndPostImages",
        new BsonDocument("enabled", BsonBoolean.valueOf(isEnabled)));
  }

  /** The stages of a view, each of them a document. */
  static void pipeline(CommandReader body, BsonDocument options) {
    BsonValue given = body.bsonValue("pipeline");
    List<RawDocument> stages = body.documents("pipeline");
    if (given != null) {
      var pipeline = new BsonArray();
      stages.forEach(stage -> pipeline.add(stage.toBsonDocument()));
      options.append("pipeline", pipeline);
    }
  }
}
