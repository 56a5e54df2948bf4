package dev.orrery.server.command.schema;

import static dev.orrery.language.error.ErrorCode.BAD_VALUE;
import static dev.orrery.language.error.ErrorCode.INVALID_OPTIONS;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawTypes;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * The options of a collection as {@code listCollections} prints them: made from what create was
 * given, by MongoDB's rules of what goes together, and compared with those of an existing one.
 */
public final class CollectionOptions {
  private static final List<String> WITH_TIMESERIES =
      List.of("storageEngine", "indexOptionDefaults", "expireAfterSeconds");
  private static final List<String> COPIED =
      List.of("storageEngine", "indexOptionDefaults", "validator", SyntheticKey.OPTION);
  private static final Set<FilterContext.Feature> IN_VALIDATORS =
      EnumSet.of(FilterContext.Feature.EXPRESSION, FilterContext.Feature.JSON_SCHEMA);
  private static final long SECONDS_MAX = Long.MAX_VALUE / 1000;
  private static final Set<String> STORAGE_ENGINES = Set.of("orrery", "wiredTiger");

  private CollectionOptions() {}

  /** Checks and completes; views have {@code viewOn} and {@code pipeline}, both always. */
  static BsonDocument of(Namespace namespace, CreateParams params) {
    BsonDocument given = params.options();
    requireTogether(given, params.clusteredIndex() != null);
    if (params.timeseries() != null) {
      requireTimeseries(namespace, params);
    }
    if (given.containsKey("expireAfterSeconds")) {
      if (params.timeseries() == null && params.clusteredIndex() == null) {
        throw invalid(
            "'expireAfterSeconds' is only supported on time-series collections or when the"
                + " 'clusteredIndex' option is specified");
      }
      requireExpiry(given.getInt64("expireAfterSeconds").getValue());
    }
    if (given.containsKey("idIndex") && given.containsKey("viewOn")) {
      throw invalid(
          "'idIndex' is not allowed with 'viewOn': "
              + BsonText.document(given.getDocument("idIndex")));
    }
    if (!isTrue(given, "autoIndexId") && given.containsKey("autoIndexId")) {
      throw new CommandException(
          ErrorCode.LOCATION_50001,
          "autoIndexId:false is not allowed for collection %s because it can be replicated"
              .formatted(namespace));
    }
    requireValidator(given.getDocument("validator", new BsonDocument()));
    requireSynthetic(given, params);
    return build(params);
  }

  /** A key that the server makes is the collection's partition key, which only some may have. */
  private static void requireSynthetic(BsonDocument given, CreateParams params) {
    if (!given.containsKey(SyntheticKey.OPTION)) {
      return;
    }
    SyntheticKey.parse(given.getDocument(SyntheticKey.OPTION));
    boolean isPlain =
        !isTrue(given, "capped")
            && !given.containsKey("viewOn")
            && params.timeseries() == null
            && params.clusteredIndex() == null;
    if (!isPlain) {
      throw invalid(
          "'synthetic' is not allowed with 'capped', 'viewOn', 'timeseries' or 'clusteredIndex'");
    }
  }

  /** Refuses an age of documents that is below zero or too large to count in milliseconds. */
  static void requireExpiry(long seconds) {
    if (seconds < 0) {
      throw invalid("TTL index 'expireAfterSeconds' option cannot be less than 0");
    }
    if (seconds > SECONDS_MAX) {
      throw invalid(
          "TTL index 'expireAfterSeconds' option must be within an acceptable range, try a lower"
              + " number");
    }
  }

  private static void requireTogether(BsonDocument given, boolean isClustered) {
    boolean isCapped = isTrue(given, "capped");
    if (isClustered && isCapped) {
      throw new CommandException(
          ErrorCode.LOCATION_6127800,
          "Clustered capped collection only available with 'enableTestCommands' server parameter");
    }
    if (isCapped && !given.containsKey("size")) {
      throw invalid("the 'size' field is required when 'capped' is true");
    }
    if (!isCapped && (given.containsKey("size") || given.containsKey("max"))) {
      throw invalid(
          "the 'capped' field needs to be true when either the 'size' or 'max' fields are"
              + " present");
    }
    if (isTrue(given, "temp")) {
      throw invalid("the 'temp' field is an invalid option");
    }
    if (given.containsKey("pipeline") && !given.containsKey("viewOn")) {
      throw invalid("'pipeline' requires 'viewOn' to also be specified");
    }
    if (given.containsKey("storageEngine")) {
      requireStorageEngine(given.getDocument("storageEngine"));
    }
  }

  /** Each field is named after an engine; what is said to it changes nothing here. */
  static void requireStorageEngine(BsonDocument engines) {
    engines.forEach(
        (name, value) -> {
          if (!value.isDocument()) {
            throw new CommandException(
                BAD_VALUE, "'storageEngine." + name + "' has to be an embedded document.");
          }
          if (!STORAGE_ENGINES.contains(name)) {
            throw invalid(name + " is not a registered storage engine for this server");
          }
        });
  }

  private static void requireTimeseries(Namespace namespace, CreateParams params) {
    for (String name : params.options().keySet()) {
      boolean isOff = name.equals("capped") && !isTrue(params.options(), name);
      if (!isOff && !WITH_TIMESERIES.contains(name)) {
        throw invalid(namespace + ": 'timeseries' is not allowed with '" + name + "'");
      }
    }
    BsonDocument timeseries = params.timeseries();
    String time = timeseries.getString("timeField").getValue();
    requireTopLevel(namespace, "timeField", time);
    if (timeseries.containsKey("metaField")) {
      String meta = timeseries.getString("metaField").getValue();
      if (meta.equals("_id")) {
        throw invalid("'metaField' cannot be \"_id\"");
      }
      if (meta.equals(time)) {
        throw invalid("'metaField' cannot be the same as 'timeField'");
      }
      requireTopLevel(namespace, "metaField", meta);
    }
  }

  private static void requireTopLevel(Namespace namespace, String field, String path) {
    if (path.indexOf('.') >= 0) {
      throw invalid(
          namespace + ": '" + field + "' must be a top-level field and not contain a '.'");
    }
  }

  /** Refuses what cannot be a validator; an empty one accepts everything. */
  static void requireValidator(BsonDocument validator) {
    if (!validator.isEmpty()) {
      FilterParser.parse(validator, FilterContext.DEFAULT.allowing(IN_VALIDATORS));
    }
  }

  /** In the order in which MongoDB prints them. */
  private static BsonDocument build(CreateParams params) {
    BsonDocument given = params.options();
    var options = new BsonDocument();
    if (isTrue(given, "capped")) {
      options.append("capped", BsonBoolean.TRUE);
      options.append("size", Numbers.intOrLong(given.getInt64("size").getValue()));
      long max = given.containsKey("max") ? given.getInt64("max").getValue() : 0;
      if (max > 0) {
        options.append("max", Numbers.intOrLong(max));
      }
    }
    if (isTrue(given, "autoIndexId")) {
      options.append("autoIndexId", BsonBoolean.TRUE);
    }
    BsonDocument images = given.getDocument("changeStreamPreAndPostImages", new BsonDocument());
    if (isTrue(images, "enabled")) {
      options.append("changeStreamPreAndPostImages", images);
    }
    for (String name : COPIED) {
      BsonDocument value = given.getDocument(name, new BsonDocument());
      if (!value.isEmpty()) {
        options.append(name, value);
      }
    }
    copy(given, options, "validationLevel");
    copy(given, options, "validationAction");
    if (!params.collation().isSimple()) {
      options.append("collation", params.collation().specification());
    }
    if (given.containsKey("viewOn")) {
      return ViewDefinitions.options(given, options);
    }
    copy(given, options, "expireAfterSeconds");
    if (params.timeseries() != null) {
      options.append("timeseries", params.timeseries());
    }
    if (params.clusteredIndex() != null) {
      options.append("clusteredIndex", clustered(params));
    }
    return options;
  }

  private static void copy(BsonDocument given, BsonDocument options, String name) {
    if (given.containsKey(name)) {
      options.append(name, given.get(name));
    }
  }

  private static BsonDocument clustered(CreateParams params) {
    if (params.clusteredIndex().type() != RawTypes.DOCUMENT) {
      throw new CommandException(
          ErrorCode.LOCATION_5979703,
          "The 'clusteredIndex' legacy format {clusteredIndex: <bool>} is only supported for"
              + " specific internal collections and does not match the requested collection");
    }
    var reader = CommandReader.of("create.clusteredIndex", params.clusteredIndex().asDocument());
    long version = reader.int64("v", 2);
    BsonDocument key = reader.requireRawDocument("key").toBsonDocument();
    String name = reader.string("name");
    if (!reader.has("unique")) {
      throw FieldErrors.missing("create.clusteredIndex.unique");
    }
    boolean isUnique = reader.safeBool("unique", false);
    reader.finish();
    if (!isUnique) {
      throw new CommandException(
          ErrorCode.LOCATION_5979700,
          "The clusteredIndex option requires unique: true to be specified");
    }
    if (!BsonOrder.CANONICAL.areEqual(key, new BsonDocument("_id", new BsonInt32(1)))) {
      throw new CommandException(
          ErrorCode.INVALID_INDEX_SPECIFICATION_OPTION,
          "The clusteredIndex option is only supported for key: {_id: 1}");
    }
    return new BsonDocument("v", Numbers.intOrLong(version))
        .append("key", key)
        .append("name", new BsonString(name == null ? "_id_" : name))
        .append("unique", BsonBoolean.TRUE);
  }

  /** Refuses to create what exists with other options; the same again is fine. */
  static void requireSame(CollectionInfo existing, BsonDocument options) {
    if (existing.isView()) {
      ViewDefinitions.requireSame(existing, options);
      return;
    }
    boolean isSame = BsonOrder.CANONICAL.areEqual(plain(existing.options()), plain(options));
    if (!isSame) {
      var shown = new BsonDocument("uuid", new BsonBinary(existing.uuid()));
      shown.putAll(existing.options());
      throw new CommandException(
          ErrorCode.NAMESPACE_EXISTS,
          "namespace %s already exists, but with different options: %s"
              .formatted(existing.namespace(), BsonText.document(shown)));
    }
  }

  private static BsonDocument plain(BsonDocument options) {
    var plain = new BsonDocument();
    plain.putAll(options);
    plain.remove("validationLevel", new BsonString("strict"));
    plain.remove("validationAction", new BsonString("error"));
    return plain;
  }

  public static boolean isTrue(BsonDocument document, String name) {
    return document.getBoolean(name, BsonBoolean.FALSE).getValue();
  }

  /** The partition-wide default of string comparison, or null for the simple one. */
  static @Nullable BsonDocument collation(CollectionInfo info) {
    return info.options().getDocument("collation", null);
  }

  static CommandException invalid(String message) {
    return new CommandException(INVALID_OPTIONS, message);
  }
}
