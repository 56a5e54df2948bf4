package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.stream.StreamAnnouncement;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.NestingException;
import dev.orrery.value.RawTypes;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code collMod}: other options for a collection, a view, or one of the indexes. */
final class CollModCommand implements Command {
  private static final List<String> ONLY_ON_VIEWS = List.of("pipeline", "viewOn");
  private static final List<String> NOT_ON_VIEWS =
      List.of("validator", "validationLevel", "validationAction", "changeStreamPreAndPostImages");
  private static final List<String> VALIDATION =
      List.of("validator", "validationLevel", "validationAction");

  private final Databases databases;
  private final ViewDefinitions views;
  private final IndexChanges indexes;

  CollModCommand(Databases databases, ViewDefinitions views) {
    this.databases = databases;
    this.views = views;
    this.indexes = new IndexChanges(databases.engine());
  }

  @Override
  public Spec spec() {
    return Spec.of("collMod", Access.ADMIN, Trait.LONG, Trait.STABLE_API, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    CollModParams params = CollModParams.parse(body);
    CollectionStore found = databases.find(context.database(), params.collection());
    if (found == null) {
      throw new CommandException(ErrorCode.NAMESPACE_NOT_FOUND, "ns does not exist");
    }
    CollectionInfo before = found.info();
    BsonDocument reply =
        found.info().isView() ? modifyView(context, found, params) : modify(found, params);
    if (!params.isDryRun()) {
      announce(CollModEvent.of(before, params));
    }
    context.awaitDurable(databases.engine().receipt());
    return reply;
  }

  /** What nests as deep as a document may is too deep for an event that shows it. */
  private void announce(StreamAnnouncement event) {
    try {
      databases.engine().announce(event.toBson());
    } catch (NestingException tooDeep) {
      databases.engine().announce(event.withoutDetails().toBson());
    }
  }

  private BsonDocument modifyView(
      CommandContext context, CollectionStore view, CollModParams params) {
    if (params.index() != null) {
      throw notOnView("index");
    }
    for (String option : NOT_ON_VIEWS) {
      if (params.given().containsKey(option)) {
        throw notOnView(option);
      }
    }
    if (params.expireAfterSeconds() != null) {
      throw notOnView("expireAfterSeconds");
    }
    var options = new BsonDocument();
    options.putAll(view.info().options());
    for (String option : ONLY_ON_VIEWS) {
      if (params.given().containsKey(option)) {
        options.put(option, params.given().get(option));
      }
    }
    views.require(context, view.info().namespace(), options);
    databases.engine().update(view, info -> info.withOptions(options));
    return new BsonDocument();
  }

  private static CommandException notOnView(String option) {
    return CollectionOptions.invalid("option not supported on a view: " + option);
  }

  private BsonDocument modify(CollectionStore collection, CollModParams params) {
    BsonDocument given = params.given();
    requireCapped(collection.info(), given);
    IndexChanges.Change change = indexes.prepare(collection, params);
    requireValidator(given);
    for (String option : ONLY_ON_VIEWS) {
      if (given.containsKey(option)) {
        throw CollectionOptions.invalid("option only supported on a view: " + option);
      }
    }
    requireExpiry(collection.info(), params);
    if (given.containsKey("timeseries") && !collection.info().options().containsKey("timeseries")) {
      throw CollectionOptions.invalid(
          "option only supported on a time-series collection: timeseries");
    }
    if (change.isPreparation() && !given.isEmpty()) {
      throw CollectionOptions.invalid(
          "prepareUnique cannot be combined with any other modification.");
    }
    if (params.isDryRun()) {
      return new BsonDocument();
    }
    databases
        .engine()
        .update(collection, info -> info.withOptions(changed(info.options(), params)));
    return indexes.carryOut(collection, change);
  }

  private static void requireCapped(CollectionInfo info, BsonDocument given) {
    boolean asks = given.containsKey("cappedSize") || given.containsKey("cappedMax");
    if (asks && !CollectionOptions.isTrue(info.options(), "capped")) {
      throw CollectionOptions.invalid("Collection must be capped.");
    }
  }

  private static void requireValidator(BsonDocument given) {
    try {
      CollectionOptions.requireValidator(given.getDocument("validator", new BsonDocument()));
    } catch (CommandException e) {
      throw new CommandException(
          e.code(),
          "Parsing of collection validator failed :: caused by :: " + e.getMessage(),
          e.details());
    }
  }

  private static void requireExpiry(CollectionInfo info, CollModParams params) {
    if (params.expireAfterSeconds() == null) {
      return;
    }
    boolean mayExpire =
        info.options().containsKey("timeseries") || info.options().containsKey("clusteredIndex");
    if (!mayExpire) {
      throw CollectionOptions.invalid(
          "'expireAfterSeconds' option is only supported on collections clustered by _id");
    }
    boolean isText = params.expireAfterSeconds().type() == RawTypes.STRING;
    if (isText && !params.expireAfterSeconds().asString().equals("off")) {
      throw CollectionOptions.invalid(
          "Invalid string value for the 'clusteredIndex::expireAfterSeconds' option. Got: '%s'. Accepted value is 'off'"
              .formatted(params.expireAfterSeconds().asString()));
    }
    if (!isText) {
      CollectionOptions.requireExpiry(RawNumbers.toLong(params.expireAfterSeconds()));
    }
  }

  /** The options as they become; the order of those that stay does not change. */
  private static BsonDocument changed(BsonDocument before, CollModParams params) {
    BsonDocument given = params.given();
    var options = new BsonDocument();
    options.putAll(before);
    limit(options, "size", given.get("cappedSize"));
    limit(options, "max", given.get("cappedMax"));
    BsonDocument images = given.getDocument("changeStreamPreAndPostImages", null);
    if (images != null) {
      options.remove("changeStreamPreAndPostImages");
      if (CollectionOptions.isTrue(images, "enabled")) {
        options.put("changeStreamPreAndPostImages", images);
      }
    }
    if (VALIDATION.stream().anyMatch(given::containsKey)) {
      validation(options, given);
    }
    if (params.expireAfterSeconds() != null) {
      if (params.expireAfterSeconds().isNumber()) {
        long seconds = RawNumbers.toLong(params.expireAfterSeconds());
        options.put("expireAfterSeconds", new BsonInt64(seconds));
        BsonValue series = options.remove("timeseries");
        if (series != null) {
          options.append("timeseries", series); // which comes last
        }
      } else {
        options.remove("expireAfterSeconds");
      }
    }
    return options;
  }

  private static void limit(BsonDocument options, String name, @Nullable BsonValue value) {
    if (value == null) {
      return;
    }
    long limit = value.asNumber().longValue();
    if (limit > 0) {
      options.put(name, Numbers.intOrLong(limit));
    } else {
      options.remove(name);
    }
  }

  /** All three are written down as soon as one of them changes. */
  private static void validation(BsonDocument options, BsonDocument given) {
    BsonDocument validator = given.getDocument("validator", null);
    if (validator != null && validator.isEmpty()) {
      options.remove("validator");
    } else if (validator != null) {
      options.put("validator", validator);
    }
    set(options, given, "validationLevel", "strict");
    set(options, given, "validationAction", "error");
  }

  private static void set(BsonDocument options, BsonDocument given, String name, String fallback) {
    BsonValue value = given.get(name);
    if (value != null) {
      options.put(name, value);
    } else {
      options.putIfAbsent(name, new BsonString(fallback));
    }
  }
}
